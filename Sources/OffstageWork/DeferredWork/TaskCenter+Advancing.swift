// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol

/// Time that runs ahead, for developers: what a week brings is seen in seconds.
extension TaskCenter {
    /// Lets the daemon's time run so many seconds ahead, from one alarm to the next; before each of them all that is
    /// under way comes to its end in real time.
    ///
    /// - Throws: `WireFailure` when something does not come to an end.
    package func advance(_ request: AdvanceTime) async throws(WireFailure) -> AdvanceTime.Reply {
        guard request.seconds > 0, request.seconds <= Self.furthest else {
            throw WireFailure(.badRequest, "Time can be advanced by a second to a year at once.")
        }
        await waitUntilReady()
        guard !isAdvancing else {
            throw WireFailure(.inUse, "Time is being advanced already: wait until that is done.")
        }
        isAdvancing = true
        defer { isAdvancing = false }
        let observation = await queue.observeEnds { [weak self] in self?.assumeIsolated { $0.hasNews() } }
        defer { stopObserving(observation) }
        let before = endings
        let target = clock.now().uptime + request.seconds
        while true {
            try await comeToRest()
            let left = target - clock.now().uptime
            if left <= 0 { break }
            // A little later, so that no rounding lets the alarm's owner find that it is too early.
            loop.advance(by: min(left, nextAlarm ?? left) + 0.000_1)
        }
        return AdvanceTime.Reply(now: clock.now().wall, ahead: clock.lead.seconds, ended: endings - before)
    }

    private func stopObserving(_ observation: UInt64) { queue.assumeIsolated { $0.stopObserving(observation) } }

    /// Waits until no task is under way, continued processing aside, no app is on its way anywhere, and no transfer is
    /// being attempted.
    private func comeToRest() async throws(WireFailure) {
        let begin = clock.now().uptime
        func left(of patience: Double) -> Double { patience - (clock.now().uptime - begin) }
        while !isStopping {
            await turn()
            guard left(of: Self.restPatience) > 0 else { throw unrest }
            if !isAtRest {
                await waitForRest(within: left(of: Self.restPatience))
            } else if await !apps.isSettled {
                _ = await apps.waitUntilSettled(within: left(of: Self.restPatience))
            } else if await queue.hasAttemptsUnderWay, left(of: Self.transferPatience) > 0 {
                await waitForNews(within: left(of: Self.transferPatience)) {
                    queue.assumeIsolated { $0.hasAttemptsUnderWay }
                }
            } else {
                return
            }
        }
        throw WireFailure(.shuttingDown, "The daemon is stopping: try again.")
    }

    /// Seconds of real time that whatever is under way has to come to its end, and that attempts at transfers have: a
    /// server that does not answer holds up nothing.
    private static var restPatience: Double { 60 }
    private static var transferPatience: Double { 5 }

    private var unrest: WireFailure {
        let names = runs.keys.sorted().compactMap { schedule.record($0)?.request }
            .filter { $0.kind != .continued }.prefix(5)
            .map { "\($0.identifier.redactedControls) of \($0.app.redactedControls)" }
        let what =
            names.isEmpty
            ? "an app is still on its way" : "these tasks are still under way: \(names.joined(separator: ", "))"
        return WireFailure(
            .notApplicable,
            "Time was not advanced further, since after \(Int(Self.restPatience)) s \(what); see 'offstage tasks', and 'offstage app list'."
        )
    }

    /// Whether nothing of deferred work is under way.
    private var isAtRest: Bool {
        ledger.isAtRest && runs.keys.allSatisfy { schedule.record($0)?.request.kind == .continued }
    }

    // MARK: Waiting

    /// Something may have come to its end.
    func lookForRest() {
        if !restWaiters.isEmpty, isAtRest { hasNews() }
    }

    private func hasNews() {
        for waiter in restWaiters { waiter.continuation.resume() }
        restWaiters = []
    }

    /// Returns when nothing of deferred work is under way, or so many seconds are over.
    func waitForRest(within seconds: Double) async {
        await waitForNews(within: seconds) { !isAtRest }
    }

    /// Returns when something has come to its end, or so many seconds are over.
    ///
    /// - Parameters:
    ///   - seconds: of real time.
    ///   - isNeeded: whether there is anything to wait for; asked where nothing comes between.
    private func waitForNews(within seconds: Double, while isNeeded: () -> Bool) async {
        let due = clock.now().uptime + seconds
        await withCheckedContinuation { continuation in
            guard isNeeded() else { return continuation.resume() }
            restWaiters.append((due, continuation))
            armAlarm()
        }
    }
}
