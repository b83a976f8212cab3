// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// What a fleet's member asks of the queue.
extension TransferQueue {
    /// A connection keeps the memory of a fleet's transfers from now on, in place of any other.
    ///
    /// - Parameters:
    ///   - fleet: the fleet.
    ///   - connection: the connection's number.
    ///   - ask: sends it what is to be kept, on the loop.
    package func attachKeeper(
        of fleet: String,
        _ connection: UInt64,
        ask: @escaping @Sendable (MemoryToKeep) -> Void
    ) {
        guard !registry.isStopping else { return }
        runner.keepers.attach(connection, to: fleet, ask: ask)
    }

    /// Takes a keeper's answers.
    ///
    /// - Throws: `QueueError` if the connection is nobody's keeper.
    package func keeperAnswered(
        _ answers: [(number: Int, isKept: Bool)],
        _ connection: UInt64
    ) throws(QueueError) {
        guard runner.keepers.isKeeper(connection) else {
            throw .notApplicable("This connection keeps nothing, or another has taken its place: attach first.")
        }
        guard !registry.isStopping else { throw .stopping }
        for answer in answers {
            runner.keepers.answered(answer.number, isKept: answer.isKept, by: connection)
        }
    }

    /// A connection has ended.
    package func connectionEnded(_ connection: UInt64) {
        // The next daemon continues what a stopping one leaves.
        if !registry.isStopping { runner.keepers.detach(connection) }
    }

    /// Ends a transfer here for another machine to go on, once no request of it is under way.
    package func letGo(_ id: TransferID) async throws(QueueError) {
        try await change(id, refusal: "can no longer be let go") { $0.release(now: $1) }
    }

    /// Sets what a fleet says of this machine's transfers.
    ///
    /// - Parameters:
    ///   - policies: its rules; none if it says nothing.
    ///   - fleet: the fleet.
    ///   - label: its name for people.
    /// - Throws: `QueueError` if as many other fleets as may have rules.
    package func setPolicies(_ policies: [FleetPolicy], of fleet: String, label: String) throws(QueueError) {
        guard turns.limits.fleets.set(policies, of: fleet, label: label) else {
            throw .notApplicable(
                "\(FleetRules.mostFleets) other fleets have rules for this machine: one of them has to take its own back first."
            )
        }
        agenda.rulesChanged()
    }
}
