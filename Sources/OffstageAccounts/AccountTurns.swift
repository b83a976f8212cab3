// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol
import OffstageRuntime

/// Limits simultaneous requests about accounts, because each may wait for a service on a separate thread.
///
/// Belongs to the server actor; every call is on the loop.
package final class AccountTurns {
    private var gate: FairGate<Int32>
    private var tickets: UInt64 = 0
    private let waiters = Waiters<UInt64, Bool>()

    package init(_ budget: SocketBudget, perProcess: ProcessBudget) {
        gate = FairGate(
            total: budget.accountRequests,
            perOwner: perProcess.accountRequests,
            waitingPerOwner: perProcess.waitingAccountRequests
        )
    }

    /// Waits for the turn of a process.
    ///
    /// - Throws: `WireFailure` if too many of its requests are already waiting.
    package func enter(_ process: Int32) async throws(WireFailure) {
        tickets += 1
        let ticket = tickets
        let mayBegin = await waiters.wait(for: ticket) {
            switch gate.enter(ticket, of: process) {
            case .begins: true
            case .waits: nil
            case .refused: false
            }
        }
        guard mayBegin else {
            throw WireFailure(
                .tooManyConnections,
                "Too many requests about accounts are already waiting: try again when some have been answered."
            )
        }
    }

    package func leave(_ process: Int32) {
        guard let next = gate.leave(process) else { return }
        waiters.resume(next, returning: true)
    }
}
