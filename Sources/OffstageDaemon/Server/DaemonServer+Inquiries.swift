// SPDX-License-Identifier: Apache-2.0
import OffstageAccounts
import OffstageCore
import OffstageHost
import OffstageProtocol
import OffstageTransfers

/// Questions to servers. Each waits on a thread of its own, so their number is limited, as that of other questions to
/// services.
extension DaemonServer {
    /// What the server of a completed transfer has of its file now; nil if that is nothing.
    func object(of transfer: Transfer, _ connection: UInt64) async throws -> StoredObject? {
        guard TransferReceipt(of: transfer) != nil else {
            throw WireFailure(.notApplicable, "Transfer \(transfer.id) has no transferred file to check yet.")
        }
        let inquiry: any ServerInquiry
        do throws(StoredObjectInquiry.Refusal) {
            inquiry = try StoredObjectInquiry.about(transfer)
        } catch {
            throw WireFailure(.notApplicable, error.sentence)
        }
        let answer = try await answer(to: inquiry, hiding: transfer.spec.secretRedactor, connection)
        return StoredObject(answer, of: transfer)
    }

    /// Asks a server.
    ///
    /// - Parameters:
    ///   - inquiry: the question.
    ///   - redactor: the secrets that the server may repeat.
    ///   - connection: whose turn it counts against.
    /// - Returns: the answer.
    /// - Throws: `WireFailure`, with the reason why there is none.
    func answer(
        to inquiry: any ServerInquiry,
        hiding redactor: SecretRedactor = SecretRedactor(),
        _ connection: UInt64
    ) async throws -> TokenAnswer {
        let process = connections[connection]?.peerProcess ?? 0
        try await accountTurns.enter(process)
        defer { accountTurns.leave(process) }
        let (token, owner) = (token, inquiry.tokenOwner)
        switch await accounts.ask(inquiry, token: { await token($0, $1, $2, owner) }) {
        case .success(let answer): return answer
        case .failure(let failure):
            let detail = failure.withoutSecrets(of: redactor).detail
            throw WireFailure(.notApplicable, "Asking the server failed: \(detail).")
        }
    }
}
