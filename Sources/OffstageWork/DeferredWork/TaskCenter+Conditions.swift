// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol

/// The machine's conditions and advanced time, as a developer reads and simulates them.
extension TaskCenter {
    package func conditions() async -> GetConditions.Reply { GetConditions.Reply(machine: await machine.report()) }

    package func pretend(_ request: PretendConditions) async throws(WireFailure) -> PretendConditions.Reply {
        if let pretended = request.pretended {
            if let charge = pretended.batteryCharge, !(0...1).contains(charge) {
                throw WireFailure(.badRequest, "The charge of a battery must be from 0 % to 100 %.")
            }
            machine.pretend(pretended)
        }
        return await conditions()
    }

    /// Handles links, addresses or routes that have changed, or are known for the first time.
    package func networkIs(_ paths: NetworkPaths) { machine.networkIs(paths) }

    /// Advances the daemon's time by a number of seconds, from one alarm to the next. Before each alarm, all work under
    /// way ends in real time.
    ///
    /// - Throws: `WireFailure` if some work does not end.
    package func advance(_ request: AdvanceTime) async throws(WireFailure) -> AdvanceTime.Reply {
        guard request.seconds > 0, request.seconds <= TimeAdvance.furthest else {
            throw WireFailure(.badRequest, "Time can be advanced by one second to one year at a time.")
        }
        await waitUntilReady()
        let before = runs.endings
        try await time.advance(by: request.seconds)
        return AdvanceTime.Reply(now: clock.now().wall, ahead: clock.lead.seconds, ended: runs.endings - before)
    }
}
