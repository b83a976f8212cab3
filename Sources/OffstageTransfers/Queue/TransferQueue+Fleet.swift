// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The interface for a fleet's member.
extension TransferQueue {
    /// Makes a connection the keeper of the memory of a fleet's transfers, replacing any other.
    ///
    /// - Parameters:
    ///   - fleet: the fleet.
    ///   - connection: the connection's number.
    ///   - ask: sends it the memory to keep, on the loop.
    package func attachKeeper(
        of fleet: String,
        _ connection: UInt64,
        ask: @escaping @Sendable (MemoryToKeep) -> Void
    ) {
        guard !registry.isStopping else { return }
        runner.keepers.attach(connection, to: fleet, ask: ask)
    }

    /// Receives a keeper's answers.
    ///
    /// - Throws: `QueueError` if the connection is not a keeper.
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

    /// Called when a connection has ended.
    package func connectionEnded(_ connection: UInt64) {
        // The next daemon continues work that a stopping daemon leaves.
        if !registry.isStopping { runner.keepers.detach(connection) }
    }

    /// Ends a transfer here so that another machine can continue it, once no request of it is under way.
    package func letGo(_ id: TransferID) async throws(QueueError) {
        try await change(id, refusal: "can no longer be let go") { $0.release(now: $1) }
    }

    /// Sets a fleet's rules for this machine's transfers.
    ///
    /// - Parameters:
    ///   - policies: the rules; empty if the fleet has none.
    ///   - fleet: the fleet.
    ///   - label: the fleet's name for people.
    /// - Throws: `QueueError` if the maximum number of other fleets have rules.
    package func setPolicies(_ policies: [FleetPolicy], of fleet: String, label: String) throws(QueueError) {
        guard turns.limits.fleets.set(policies, of: fleet, label: label) else {
            throw .notApplicable(
                "\(FleetRules.mostFleets) other fleets have rules for this machine: one of them has to take its own back first."
            )
        }
        agenda.rulesChanged()
    }
}
