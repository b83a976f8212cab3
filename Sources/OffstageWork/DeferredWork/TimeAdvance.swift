// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageRuntime

/// Advanced time for developers: a week passes in seconds. Before each alarm, all work under way ends in real time.
///
/// `@unchecked Sendable`: belongs to the loop, where all reports arrive.
final class TimeAdvance: @unchecked Sendable {
    /// What a wait is for: the end of some work.
    private enum Milestone { case news }

    /// The state of deferred work in the meantime.
    struct Work {
        /// Whether no task is under way, except continued processing, and no change is on its way into the store.
        var isAtRest: () -> Bool
        /// A few of the tasks under way, described for people.
        var unfinished: () -> [String]
        /// Seconds until the next thing that time is advanced for is due.
        var nextAlarm: () -> Double?
    }

    private let loop: EventLoop
    private let queue: any WorkTransfers
    private let apps: any WorkApps
    private let alarm: TurnAlarm
    private var work: Work?
    private let waiters = Waiters<Milestone, Void>()
    private var isAdvancing = false
    private var isStopping = false

    /// A year in seconds, the furthest that time may be advanced.
    static let furthest = 366.0 * 86_400
    /// Seconds of real time for work under way to end, and for attempts at transfers: an unresponsive server delays
    /// nothing.
    private static let restPatience = 60.0
    private static let transferPatience = 5.0

    init(loop: EventLoop, queue: any WorkTransfers, apps: any WorkApps) {
        self.loop = loop
        self.queue = queue
        self.apps = apps
        alarm = TurnAlarm(loop: loop)
    }

    func start(_ work: Work) {
        self.work = work
        alarm.start(
            times: { [weak self] in (self?.waiters.nextDue, nil) },
            ring: { [weak self] in self?.timeIsUp() }
        )
    }

    /// The daemon is stopping.
    func stop() { isStopping = true }

    /// Advances the daemon's time by a number of seconds, from one alarm to the next.
    ///
    /// - Throws: `WireFailure` if an advance is already under way, or some work does not end.
    func advance(by seconds: Double) async throws(WireFailure) {
        guard !isAdvancing else {
            throw WireFailure(.inUse, "Time is already being advanced: wait until that is done.")
        }
        isAdvancing = true
        defer { isAdvancing = false }
        let observation = await queue.observeEnds { [weak self] in self?.hasNews() }
        defer { stopObserving(observation) }
        let target = loop.uptime + seconds
        while true {
            try await comeToRest()
            let left = target - loop.uptime
            if left <= 0 { break }
            // A little later, so that rounding does not make it too early for the alarm's owner.
            loop.advance(by: min(left, work?.nextAlarm() ?? left) + 0.000_1)
        }
    }

    private func stopObserving(_ observation: UInt64) { queue.assumeIsolated { $0.stopObserving(observation) } }

    /// Waits until no task is under way, except continued processing, no app is changing its state, and no attempt at a
    /// transfer is under way.
    private func comeToRest() async throws(WireFailure) {
        let begin = loop.uptime
        func left(of patience: Double) -> Double { patience - (loop.uptime - begin) }
        while !isStopping {
            await turn()
            guard left(of: Self.restPatience) > 0 else { throw unrest }
            if !isAtRest {
                await waitForNews(within: left(of: Self.restPatience)) { !isAtRest }
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

    /// Waits until all effects of this turn of the loop have happened.
    private func turn() async {
        await withCheckedContinuation { continuation in loop.post { continuation.resume() } }
    }

    private var isAtRest: Bool { work?.isAtRest() ?? true }

    private var unrest: WireFailure {
        let names = work?.unfinished() ?? []
        let what =
            names.isEmpty
            ? "an app is still changing its state" : "these tasks are still under way: \(names.joined(separator: ", "))"
        return WireFailure(
            .notApplicable,
            "Time was not advanced further, since after \(Int(Self.restPatience)) s \(what); see 'offstage tasks', and 'offstage app list'."
        )
    }

    // MARK: Waiting

    /// Checks whether the work has ended.
    func lookForRest() {
        if !waiters.isEmpty, isAtRest { hasNews() }
    }

    private func hasNews() {
        loop.checkIsolated()
        waiters.resume(.news)
        alarm.changed()
    }

    private func timeIsUp() {
        waiters.resumeDue(at: loop.uptime, returning: ())
        alarm.changed()
    }

    /// Returns when some work has ended, or after a number of seconds.
    ///
    /// - Parameters:
    ///   - seconds: the limit in real time.
    ///   - isNeeded: whether there is anything to wait for; evaluated where the wait begins.
    private func waitForNews(within seconds: Double, while isNeeded: () -> Bool) async {
        await waiters.wait(for: .news, until: loop.uptime + seconds) {
            alarm.changed()
            return isNeeded()
        }
    }
}
