// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol

/// What the machine is like, and time that runs ahead: what a developer asks and pretends.
extension TaskCenter {
    package func pretend(_ request: PretendConditions) async throws(WireFailure) -> PretendConditions.Reply {
        if let pretended = request.pretended {
            if let charge = pretended.batteryCharge, !(0...1).contains(charge) {
                throw WireFailure(.badRequest, "The charge of a battery is from 0 % to 100 %.")
            }
            machine.pretend(pretended)
        }
        return PretendConditions.Reply(machine: await machine.report())
    }

    /// Links, addresses or routes have changed, or are known for the first time.
    package func networkIs(_ paths: NetworkPaths) { machine.networkIs(paths) }

    /// Lets the daemon's time run so many seconds ahead, from one alarm to the next; before each of them all that is
    /// under way comes to its end in real time.
    ///
    /// - Throws: `WireFailure` when something does not come to an end.
    package func advance(_ request: AdvanceTime) async throws(WireFailure) -> AdvanceTime.Reply {
        guard request.seconds > 0, request.seconds <= TimeAdvance.furthest else {
            throw WireFailure(.badRequest, "Time can be advanced by a second to a year at once.")
        }
        await waitUntilReady()
        let before = runs.endings
        try await time.advance(by: request.seconds)
        return AdvanceTime.Reply(now: clock.now().wall, ahead: clock.lead.seconds, ended: runs.endings - before)
    }
}
