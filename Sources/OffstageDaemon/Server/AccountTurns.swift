// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol

/// Limits simultaneous requests about accounts, because each may wait for a service on a thread of its own.
///
/// Belongs to the server actor; every call is on the loop.
package final class AccountTurns {
    private var gate: FairGate<Int32>
    private var tickets: UInt64 = 0
    private var waiters: [UInt64: CheckedContinuation<Bool, Never>] = [:]

    package init(_ budget: SocketBudget, perProcess: ProcessBudget) {
        gate = FairGate(
            total: budget.accountRequests,
            perOwner: perProcess.accountRequests,
            waitingPerOwner: perProcess.waitingAccountRequests
        )
    }

    /// Waits until it is the turn of a process.
    ///
    /// - Throws: `WireFailure` when too many of its requests wait already.
    package func enter(_ process: Int32) async throws(WireFailure) {
        tickets += 1
        let ticket = tickets
        // Asked where the wait begins: the caller may be suspended on the way, and would miss its turn.
        let mayBegin = await withCheckedContinuation { continuation in
            switch gate.enter(ticket, of: process) {
            case .begins: continuation.resume(returning: true)
            case .waits: waiters[ticket] = continuation
            case .refused: continuation.resume(returning: false)
            }
        }
        guard mayBegin else {
            throw WireFailure(
                .tooManyConnections,
                "Too many requests about accounts wait already: try again when some have been answered."
            )
        }
    }

    package func leave(_ process: Int32) {
        guard let next = gate.leave(process) else { return }
        waiters.removeValue(forKey: next)?.resume(returning: true)
    }
}
