// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageRuntime

/// Time that runs ahead, for developers: what a week brings is seen in seconds. Before each alarm, everything that is
/// under way comes to its end in real time.
///
/// `@unchecked Sendable`: belongs to the loop; who reports from elsewhere does so there.
final class TimeAdvance: @unchecked Sendable {
    /// What is known of deferred work meanwhile.
    struct Work {
        /// Whether none is under way, continued processing aside, and none on its way into the store.
        var isAtRest: () -> Bool
        /// A few of those tasks that are under way, as people read them.
        var unfinished: () -> [String]
        /// Seconds until anything is due for which time is advanced.
        var nextAlarm: () -> Double?
    }

    private let loop: EventLoop
    private let queue: any WorkTransfers
    private let apps: any WorkApps
    private let alarm: TurnAlarm
    private var work: Work?
    /// Whoever waits until nothing is under way, and until when: seconds on the boot-time clock.
    private var waiters: [(due: Double, continuation: CheckedContinuation<Void, Never>)] = []
    private var isAdvancing = false
    private var isStopping = false

    /// Seconds of a year, the furthest that anybody looks ahead.
    static let furthest = 366.0 * 86_400
    /// Seconds of real time that whatever is under way has to come to its end, and that attempts at transfers have: a
    /// server that does not answer holds up nothing.
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
            times: { [weak self] in (self?.waiters.map(\.due).min(), nil) },
            ring: { [weak self] in self?.timeIsUp() }
        )
    }

    /// The daemon comes to its end.
    func stop() { isStopping = true }

    /// Lets the daemon's time run so many seconds ahead, from one alarm to the next.
    ///
    /// - Throws: `WireFailure` when that is being done already, or something does not come to an end.
    func advance(by seconds: Double) async throws(WireFailure) {
        guard !isAdvancing else {
            throw WireFailure(.inUse, "Time is being advanced already: wait until that is done.")
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
            // A little later, so that no rounding lets the alarm's owner find that it is too early.
            loop.advance(by: min(left, work?.nextAlarm() ?? left) + 0.000_1)
        }
    }

    private func stopObserving(_ observation: UInt64) { queue.assumeIsolated { $0.stopObserving(observation) } }

    /// Waits until no task is under way, continued processing aside, no app is on its way anywhere, and no transfer is
    /// being attempted.
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

    /// Lets everything happen that this turn of the loop has brought about.
    private func turn() async {
        await withCheckedContinuation { continuation in loop.post { continuation.resume() } }
    }

    private var isAtRest: Bool { work?.isAtRest() ?? true }

    private var unrest: WireFailure {
        let names = work?.unfinished() ?? []
        let what =
            names.isEmpty
            ? "an app is still on its way" : "these tasks are still under way: \(names.joined(separator: ", "))"
        return WireFailure(
            .notApplicable,
            "Time was not advanced further, since after \(Int(Self.restPatience)) s \(what); see 'offstage tasks', and 'offstage app list'."
        )
    }

    // MARK: Waiting

    /// Something may have come to its end.
    func lookForRest() {
        if !waiters.isEmpty, isAtRest { hasNews() }
    }

    private func hasNews() {
        loop.checkIsolated()
        for waiter in waiters { waiter.continuation.resume() }
        waiters = []
        alarm.changed()
    }

    private func timeIsUp() {
        let now = loop.uptime
        for waiter in waiters where waiter.due <= now { waiter.continuation.resume() }
        waiters.removeAll { $0.due <= now }
        alarm.changed()
    }

    /// Returns when something has come to its end, or so many seconds are over.
    ///
    /// - Parameters:
    ///   - seconds: of real time.
    ///   - isNeeded: whether there is anything to wait for; asked where nothing comes between.
    private func waitForNews(within seconds: Double, while isNeeded: () -> Bool) async {
        let due = loop.uptime + seconds
        await withCheckedContinuation { continuation in
            guard isNeeded() else { return continuation.resume() }
            waiters.append((due, continuation))
            alarm.changed()
        }
    }
}
