// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol

extension SessionTaskEnd {
    /// How a session's task ended; nil for a transfer that is not a session's task or has not ended.
    init?(_ transfer: Transfer, isFileTaken: Bool = false, withSpec: Bool = false) {
        guard let key = transfer.spec.sessionTask, case .finished(let outcome, let date) = transfer.state else {
            return nil
        }
        let last = transfer.history.last.flatMap { $0.number == transfer.attempts ? $0.startedAt : nil }
        let resumeData = transfer.resumeData.flatMap { try? WireCoding.encode($0) }
        let spec = withSpec ? try? WireCoding.encode(transfer.spec) : nil
        self.init(
            id: transfer.id,
            key: key,
            outcome: outcome,
            spec: spec.map { String(decoding: $0, as: UTF8.self) },
            bytesDone: transfer.bytesDone,
            bytesTotal: transfer.bytesTotal,
            isFileTaken: isFileTaken,
            bodyPath: outcome.answer?.bodyPath,
            resumeData: resumeData.map { Base64Bytes(bytes: $0) },
            createdAt: transfer.createdAt.wall,
            startedAt: last,
            endedAt: date.wall,
            attempts: transfer.attempts
        )
    }

    /// The approximate length of its JSON within a frame, in bytes.
    var length: Int {
        let answer = outcome.answer
        let headers = answer?.headers.reduce(0) { $0 + 2 * ($1.name.utf8.count + $1.value.utf8.count) + 32 } ?? 0
        // Quotation marks in JSON text within JSON take two bytes.
        return 2048 + 2 * (spec?.utf8.count ?? 0) + headers + (answer?.bodyStart.count ?? 0) * 4 / 3
            + (resumeData.map { Array($0.bytes).count } ?? 0) * 4 / 3
    }
}
