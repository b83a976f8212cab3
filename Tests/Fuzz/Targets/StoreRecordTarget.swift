// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// A transfer's row in the store: its record and its specification, separated by a NUL. A daemon starts from the row,
/// continues it and shows it.
enum StoreRecordTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let record = Data(input.part(endingAt: 0))
        let spec = input.isAtEnd ? Data(usualSpec.utf8) : Data(input.rest())
        let decoder = ForeignJSON.storeDecoder()
        guard let spec = try? decoder.decode(TransferSpec.self, from: spec) else { return }
        let configuration = TransferRecord.DecodingConfiguration(id: TransferID(rawValue: 7), spec: spec)
        guard
            var transfer = try? decoder.decode(TransferRecord.self, from: record, configuration: configuration)
                .transfer
        else { return }
        let written = (try? TransferRecord(transfer).json()).map { Data($0) } ?? Data()
        let again = try? decoder.decode(TransferRecord.self, from: written, configuration: configuration).transfer
        promise(again == transfer, "a record that was read is another one when it is written and read again")
        _ = transfer.restored(now: fuzzStart)
        var later = fuzzStart
        later.uptime += 1e6
        _ = transfer.woken(now: later)
        let offset = transfer.partial?.resumeOffset(fileSize: 100, bootID: "boot") ?? 0
        promise((0...100).contains(offset), "a partial file of 100 bytes is gone on with from \(offset)")
        _ = transfer.started(now: later, offset: offset)
        _ = transfer.attemptEnded(
            attempt: transfer.attempts,
            .failed(TransferFailure(.connectionLost, "it broke")),
            reached: offset,
            now: later,
            policy: RetryPolicy(),
            jitter: 0.5
        )
        _ = transfer.pause(reached: offset, now: later)
        _ = transfer.resume(now: later)
        _ = transfer.cancel(now: later)
    }

    private static let usualSpec =
        #"{"download":{"path":"/tmp/a"},"url":"https://files.example.org/a","owner":"command"}"#
}
