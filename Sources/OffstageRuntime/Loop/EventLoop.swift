// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import Synchronization

/// The one loop that owns the daemon's state: epoll, two timers, and the serial executor of every engine's actor.
///
/// `run()` is called on one thread and returns after `stop()`. Jobs may be enqueued from any thread; descriptors and
/// alarms are set up on the loop's own thread only. Without work it sleeps, and nothing wakes it.
///
/// `@unchecked Sendable`: `mailbox` is guarded by its mutex; everything else is touched on the loop's thread only,
/// which `checkIsolated` enforces.
package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    package typealias Handler = (_ events: UInt32) -> Void

    /// Identifies a watched descriptor. It is never reused, so that an event already fetched for a closed descriptor is
    /// dropped.
    package struct Watch: Sendable, Hashable {
        let token: UInt64
        let fileDescriptor: Int32
    }

    /// Identifies an alarm. Each owner has its own pair of times.
    package struct Alarm: Sendable, Hashable {
        let index: Int
    }

    private struct AlarmTimes {
        var handler: (() -> Void)?
        var uptime: Double?
        var wall: Double?
    }

    private enum Work {
        case job(UnownedJob)
        case body(@Sendable () -> Void)
    }

    private struct Mailbox {
        var work: [Work] = []
        var isSignalled = false
    }

    private let mailbox = Mutex(Mailbox())
    /// Jobs taken from the mailbox that have not run yet, the first one last.
    private var taken: [Work] = []
    private let kernel: LoopDescriptors
    private var handlers: [UInt64: Handler] = [:]
    private var nextToken: UInt64 = 1
    private var isStopping = false
    private var thread: pthread_t?
    /// The first alarm belongs to the sleepers.
    private var alarms = [AlarmTimes()]
    private var armed: (uptime: Double?, wall: Double?)
    /// The sleepers, each with its end on the boot-time clock.
    private var sleepers: [(due: Double, continuation: CheckedContinuation<Void, Never>)] = []
    private let sleepAlarm = Alarm(index: 0)
    /// Called once per turn, after the jobs; returns whether there is more to do in the next turn.
    private var turnHandler: (() -> Bool)?
    /// Seconds that jobs may run before descriptors are polled again.
    private static let longestRun = 0.002
    private static let mostRoomKept = 4096
    /// The clock that alarms use.
    package let clock: ClockSource
    /// How far the times of alarms are ahead of this clock.
    package let lead = ClockLead()

    /// The kernel refuses a descriptor that the loop needs, or does not watch it.
    package struct Refusal: Error, Sendable {
        /// What was refused, as the middle of a sentence.
        package let detail: String
    }

    /// - Parameter clock: the clock that alarms use; a virtual one is for `runVirtually`.
    /// - Throws: `Refusal` when the kernel refuses a descriptor.
    package init(clock: ClockSource = .machine) throws(Refusal) {
        self.clock = clock
        kernel = try LoopDescriptors()
    }

    // MARK: SerialExecutor

    package func enqueue(_ job: consuming ExecutorJob) {
        append(.job(UnownedJob(job)))
    }

    /// Runs `body` on the loop, in order with all other jobs. From any thread.
    package func post(_ body: @escaping @Sendable () -> Void) {
        append(.body(body))
    }

    private func append(_ work: Work) {
        let mustRing = mailbox.withLock { box in
            box.work.append(work)
            defer { box.isSignalled = true }
            return !box.isSignalled
        }
        if mustRing { ring() }
    }

    package func checkIsolated() {
        precondition(isOnLoop, "called off the daemon's loop")
    }

    package func isSameExclusiveExecutionContext(other: EventLoop) -> Bool { self === other }

    private var isOnLoop: Bool {
        guard let thread else { return true }  // before run(): this is the thread that sets everything up
        return pthread_equal(thread, pthread_self()) != 0
    }

    private func ring() {
        var one: UInt64 = 1
        _ = write(kernel.doorbell, &one, 8)
    }

    // MARK: Descriptors and alarms

    /// Calls `handler` whenever `fileDescriptor` has one of `events` (level-triggered).
    ///
    /// - Returns: nil if the kernel does not watch it, so that no event would ever arrive (`errno` says why).
    package func watch(_ fileDescriptor: Int32, events: UInt32, handler: @escaping Handler) -> Watch? {
        let watch = Watch(token: nextToken, fileDescriptor: fileDescriptor)
        nextToken += 1
        guard offstage_epoll_ctl(kernel.epoll, offstage_epoll_add, fileDescriptor, events, watch.token) == 0 else {
            return nil
        }
        handlers[watch.token] = handler
        return watch
    }

    /// - Returns: false if the kernel refuses (`errno` says why): the descriptor is still watched as before.
    package func modify(_ watch: Watch, events: UInt32) -> Bool {
        offstage_epoll_ctl(kernel.epoll, offstage_epoll_mod, watch.fileDescriptor, events, watch.token) == 0
    }

    /// Sets a handler that is called once per turn of the loop. While it returns true, the loop does not sleep.
    package func onTurn(_ handler: @escaping () -> Bool) { turnHandler = handler }

    /// Stops watching; the caller closes the descriptor afterwards.
    package func unwatch(_ watch: Watch) {
        handlers[watch.token] = nil
        _ = offstage_epoll_ctl(kernel.epoll, offstage_epoll_del, watch.fileDescriptor, 0, 0)
    }

    /// A new alarm, with no time set.
    package func makeAlarm() -> Alarm {
        alarms.append(AlarmTimes())
        return Alarm(index: alarms.count - 1)
    }

    /// Sets the handler for an alarm: called when one of its times comes, and when the wall clock was set.
    package func onAlarm(_ alarm: Alarm, handler: @escaping () -> Void) {
        alarms[alarm.index].handler = handler
    }

    /// Sets an alarm's next times on the boot-time clock (seconds) and on the wall clock (seconds since 1970); nil for
    /// no alarm.
    package func setAlarm(_ alarm: Alarm, uptime: Double?, wall: Double? = nil) {
        alarms[alarm.index].uptime = uptime
        alarms[alarm.index].wall = wall
        armTimers()
    }

    /// Waits on the boot-time clock. Call it on the loop, which continues in the meantime.
    ///
    /// The cost grows with the number of sleepers.
    package func sleep(seconds: Double) async {
        checkIsolated()
        await withCheckedContinuation { continuation in
            sleepers.append((uptime + seconds, continuation))
            setAlarm(sleepAlarm, uptime: sleepers.lazy.map(\.due).min())
        }
    }

    private func wakeSleepers() {
        let now = uptime
        let ready = sleepers.filter { $0.due <= now }
        sleepers.removeAll { $0.due <= now }
        alarms[sleepAlarm.index].uptime = sleepers.lazy.map(\.due).min()
        for sleeper in ready { sleeper.continuation.resume() }
    }

    /// Seconds until the next alarm rings, except for one, in the daemon's time; nil if none is set.
    package func nextAlarm(besides ignored: Alarm? = nil) -> Double? {
        let now = now
        let others = alarms.indices.lazy.filter { $0 != ignored?.index }.map { self.alarms[$0] }
        let uptime = others.compactMap(\.uptime).min().map { $0 - now.uptime }
        let wall = others.compactMap(\.wall).min().map { $0 - now.wall }
        return [uptime, wall].compactMap { $0 }.min().map { max(0, $0) }
    }

    /// Advances the time of all alarms by that many seconds, and rings those that are due.
    package func advance(by seconds: Double) {
        checkIsolated()
        lead.grow(by: seconds)
        ringAlarms(isWallReset: false)
    }

    private func armTimers() {
        let ahead = lead.seconds
        let uptime = alarms.lazy.compactMap(\.uptime).min().map { $0 - ahead }
        let wall = alarms.lazy.compactMap(\.wall).min().map { $0 - ahead }
        if uptime != armed.uptime { arm(kernel.bootTimer, realtime: 0, uptime) }
        if wall != armed.wall { arm(kernel.wallTimer, realtime: 1, wall) }
        armed = (uptime, wall)
    }

    /// Calls the alarms that are due, or all of them if the wall clock was set.
    private func ringAlarms(isWallReset: Bool) {
        let now = now
        for index in alarms.indices {
            let isUp = alarms[index].uptime.map { $0 <= now.uptime } ?? false
            let isWallUp = alarms[index].wall.map { $0 <= now.wall } ?? false
            guard isUp || isWallUp || isWallReset else { continue }
            if isUp { alarms[index].uptime = nil }
            if isWallUp || isWallReset { alarms[index].wall = nil }
            if index == sleepAlarm.index { wakeSleepers() } else { alarms[index].handler?() }
        }
        armTimers()
    }

    private var now: (uptime: Double, wall: Double) {
        let ahead = lead.seconds
        return (clock.uptime + ahead, clock.wall + ahead)
    }

    private func arm(_ timer: Int32, realtime: Int32, _ time: Double?) {
        if clock.isVirtual { return }
        guard let time else {
            _ = offstage_timerfd_set(timer, realtime, 0, 0)
            return
        }
        let expiry = Self.expiry(of: time, now: realtime == 0 ? clock.uptime : clock.wall)
        _ = offstage_timerfd_set(timer, realtime, expiry.seconds, expiry.nanoseconds)
    }

    /// The expiry to set a timer to for a time of its clock: for a distant one the timer is set again after a year.
    ///
    /// - Parameters:
    ///   - time: in seconds of the timer's clock.
    ///   - now: that clock's current time.
    /// - Returns: a time that the kernel accepts: it refuses a whole second's worth of nanoseconds, and zero would
    ///   disarm the timer.
    package static func expiry(of time: Double, now: Double) -> (seconds: Int64, nanoseconds: Int64) {
        let clamped = max(min(time, now + longestWait), 0)
        let seconds = Int64(nearest: clamped)
        let nanoseconds = Int64(nearest: (clamped - Double(seconds)) * 1e9)
        // Rounded up: a timer must not ring before its time.
        return (seconds, min(max(nanoseconds, 0), 999_999_998) + 1)
    }

    /// A year, in seconds.
    private static let longestWait = 31_536_000.0

    // MARK: Running

    /// Runs until `stop()`.
    package func run() {
        thread = pthread_self()
        var room = EventRoom()
        while !isStopping {
            let hasJobs = runJobs()
            if isStopping { break }
            // After the jobs, which may have added work for it.
            let hasMore = turnHandler?() ?? false
            handleEvents(&room, within: hasMore || hasJobs ? 0 : -1)
        }
    }

    /// Runs in virtual time, which requires a virtual clock: whenever there is nothing to do, time advances to the next
    /// alarm.
    ///
    /// - Parameter isOver: called once per turn; returns whether to end.
    /// - Returns: true if `isOver` returned true or the loop was stopped, false if nothing remains to be done.
    package func runVirtually(until isOver: () -> Bool) -> Bool {
        guard case .virtual(let clock) = clock else { preconditionFailure("this loop goes by the machine's clocks") }
        thread = pthread_self()
        var room = EventRoom()
        while !isStopping, !isOver() {
            if runJobs() { continue }
            if isStopping { break }
            if turnHandler?() ?? false { continue }
            if handleEvents(&room, within: 0) > 0 { continue }
            if mailbox.withLock({ !$0.work.isEmpty }) { continue }
            guard let pause = nextAlarm() else { return false }
            // And a little more, as with a timer: due times must not seem to be in the future because of rounding.
            clock.pass(pause + 0.000_001)
            ringAlarms(isWallReset: false)
        }
        return true
    }

    /// Wakes the remaining sleepers, as if their times had come, once a loop with a virtual clock has stopped.
    package func drain() {
        for _ in 0..<1000 {
            while runJobs() {}
            if sleepers.isEmpty, mailbox.withLock({ $0.work.isEmpty }) { return }
            let woken = sleepers
            sleepers = []
            for sleeper in woken { sleeper.continuation.resume() }
        }
    }

    /// The buffer that the kernel writes events into.
    private struct EventRoom {
        var tokens = [UInt64](repeating: 0, count: 64)
        var events = [UInt32](repeating: 0, count: 64)
    }

    /// Waits for events, up to that many milliseconds (-1 for no limit), and handles them.
    ///
    /// - Returns: how many descriptors had events.
    @discardableResult
    private func handleEvents(_ room: inout EventRoom, within milliseconds: Int32) -> Int {
        let count = Int(offstage_epoll_wait(kernel.epoll, &room.tokens, &room.events, 64, milliseconds))
        if count < 0, errno != EINTR {
            // No event can be received now. That may pass, if memory is short; pause, so that the loop does not spin.
            poll(nil, 0, 10)
        }
        for index in 0..<max(0, count) {
            if room.tokens[index] == 0 {
                drainInternalDescriptors()
            } else {
                handlers[room.tokens[index]]?(room.events[index])
            }
        }
        return max(0, count)
    }

    /// Makes `run()` return after the current turn. On the loop only: a call from elsewhere would not wake it.
    package func stop() {
        checkIsolated()
        isStopping = true
    }

    /// Runs the waiting jobs, and those that arrive in the meantime, for a limited time. Returns whether more are left.
    private func runJobs() -> Bool {
        let end = stopwatch + Self.longestRun
        while true {
            if taken.isEmpty {
                // Do not keep the capacity for very many jobs when there are usually few.
                if taken.capacity > Self.mostRoomKept { taken = [] }
                mailbox.withLock { box in
                    // It stays signalled while jobs run: a thread that adds one need not signal it, since this loop
                    // checks again.
                    box.isSignalled = !box.work.isEmpty
                    swap(&box.work, &taken)
                }
                if taken.isEmpty { return false }
                // Taken from the end, so the other jobs need not move.
                taken.reverse()
            }
            while let item = taken.popLast() {
                switch item {
                case .job(let job):
                    job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
                case .body(let body): body()
                }
                if stopwatch > end { return true }
            }
        }
    }

    /// Seconds on a clock that does not jump, for measuring.
    package static var monotonic: Double { ClockSource.seconds(CLOCK_MONOTONIC) }

    /// Seconds, for measuring how long work takes. Stands still in virtual time: the course of a test must not depend
    /// on how fast it runs.
    package var stopwatch: Double { clock.isVirtual ? clock.uptime : Self.monotonic }

    /// The boot-time clock as alarms use it, in seconds.
    package var uptime: Double { now.uptime }

    private func drainInternalDescriptors() {
        var count: UInt64 = 0
        _ = read(kernel.doorbell, &count, 8)
        // Reading a wall timer fails with ECANCELED if the clock was set; that counts as an event, too.
        let boot = read(kernel.bootTimer, &count, 8)
        let wall = read(kernel.wallTimer, &count, 8)
        let isWallReset = wall < 0 && errno == ECANCELED
        if boot == 8 { armed.uptime = nil }
        if wall == 8 || isWallReset { armed.wall = nil }
        if boot == 8 || wall == 8 || isWallReset { ringAlarms(isWallReset: isWallReset) }
    }
}
