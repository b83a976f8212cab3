// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// What is made durable of deferred work, all of it in order.
extension TaskCenter {
    /// Has a change made durable.
    ///
    /// - Parameters:
    ///   - change: what has changed in memory already.
    ///   - number: the task that watchers are told of then; nil for none.
    func note(_ change: TaskChange, of number: UInt64? = nil) {
        ledger.record(change)
        guard let number, !watchers.isEmpty else { return }
        ledger.follow { isDurable in if isDurable { self.tellWatchers(of: number) } }
    }

    /// Returns when everything that was noted is durable.
    ///
    /// - Throws: `WireFailure` when the daemon ends first.
    func untilDurable() async throws(WireFailure) {
        guard await ledger.untilDurable() else {
            throw WireFailure(.shuttingDown, "The daemon is stopping: try again.")
        }
    }
}
