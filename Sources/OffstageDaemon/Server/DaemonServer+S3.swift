// SPDX-License-Identifier: Apache-2.0
import OffstageAccounts
import OffstageCore
import OffstageProtocol
import OffstageTransfers

/// Questions to S3 servers. Each waits on a thread of its own, so their number is limited, as that of other questions to
/// services.
extension DaemonServer {
    func answer(
        to question: S3Inquiry.Question,
        _ asking: S3Asking,
        _ connection: UInt64
    ) async throws -> TokenAnswer {
        let keys = try asking.keys()
        let way = TokenRequest.Way(asking.proxy, certificateAuthorityPath: asking.certificateAuthorityPath)
        let given = await accounts.way(of: keys, way)
        return try await answer(to: S3Inquiry(question, at: asking.endpoint, keys: keys, by: given), connection)
    }

    /// What the server of a transfer to or from S3 has of its object now; nil if it has none.
    func object(of transfer: Transfer, _ connection: UInt64) async throws -> StoredObject? {
        guard let dialect = transfer.spec.dialect, dialect.name == S3Object.dialect,
            let object = try? S3Object(dialect)
        else {
            throw WireFailure(
                .notApplicable,
                "Only servers of S3 are asked what they have: fetch it back, and compare the copy with --file."
            )
        }
        let way = TokenRequest.Way(
            transfer.spec.proxy,
            certificateAuthorityPath: transfer.spec.certificateAuthorityPath
        )
        let inquiry = S3Inquiry(.object(object.location), at: object.endpoint, keys: object.keys, by: way)
        let answer = try await answer(to: inquiry, connection)
        return answer.status == 404 ? nil : StoredObject(answer, of: transfer)
    }

    private func answer(to inquiry: S3Inquiry, _ connection: UInt64) async throws -> TokenAnswer {
        let process = connections[connection]?.peerProcess ?? 0
        try await accountTurns.enter(process)
        defer { accountTurns.leave(process) }
        let token = token
        switch await accounts.ask(inquiry, token: { await token($0, $1, $2, nil) }) {
        case .success(let answer): return answer
        case .failure(let failure):
            throw WireFailure(.notApplicable, "The server was asked in vain: \(failure.detail).")
        }
    }
}
