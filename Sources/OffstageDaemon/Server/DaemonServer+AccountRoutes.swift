// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTransfers

/// The requests of accounts: decode, one call, encode.
extension DaemonServer {
    /// Nil for a request that is not about accounts.
    func accountRoute(_ frame: WireFrame, connection: UInt64) async throws -> RouteAnswer? {
        guard [AddAccount.name, ConfirmAccount.name, ListAccounts.name, RemoveAccount.name].contains(frame.name) else {
            return nil
        }
        // Each may wait for a service on a thread of its own.
        let process = connections[connection]?.peerProcess ?? 0
        try await enterAccounts(process)
        defer { leaveAccounts(process) }
        let payload =
            switch frame.name {
            case AddAccount.name: try WireCoding.encode(await accounts.add(decode(AddAccount.self, frame)))
            case ConfirmAccount.name:
                try WireCoding.encode(await accounts.confirm(decode(ConfirmAccount.self, frame)))
            case ListAccounts.name: try WireCoding.encode(await accounts.list())
            default: try WireCoding.encode(await accounts.remove(decode(RemoveAccount.self, frame)))
            }
        return RouteAnswer(payload: payload)
    }

    private func enterAccounts(_ process: Int32) async throws(WireFailure) {
        accountTickets += 1
        let ticket = accountTickets
        switch accountGate.enter(ticket, of: process) {
        case .begins: return
        case .waits: await withCheckedContinuation { accountWaiters[ticket] = $0 }
        case .refused:
            throw WireFailure(
                .tooManyConnections,
                "Too many requests about accounts wait already: try again when some have been answered."
            )
        }
    }

    private func leaveAccounts(_ process: Int32) {
        guard let next = accountGate.leave(process) else { return }
        accountWaiters.removeValue(forKey: next)?.resume()
    }
}
