// SPDX-License-Identifier: Apache-2.0
package import OffstageRuntime
import Synchronization

/// Those who wait until something has come about of apps, and the work on threads of its own that they wait for.
///
/// `@unchecked Sendable`: belongs to the loop; what work tells from its own thread is posted there.
package final class AppWaiting: @unchecked Sendable {
    package typealias ConnectionID = AppCenter.ConnectionID

    /// What comes about of all apps together.
    package enum Milestone: Sendable {
        /// The store was read, and every app asked.
        case ready
        /// No launch is under way.
        case launched
        /// No app is on its way anywhere.
        case settled
    }

    /// What somebody may wait for.
    package enum Cause {
        case milestone(Milestone)
        /// The condition holds, of an app that something has happened to.
        case app(SupervisedApp, condition: (SupervisedApp) -> Bool)
        /// The work on a thread of its own is done.
        case work(UInt64)
    }

    private struct Waiter {
        var cause: Cause
        /// Whose request it is, if it ends with the connection.
        var connection: ConnectionID?
        /// When it is not waited for any more, in seconds on the boot-time clock; nil for never.
        var due: Double?
        var continuation: CheckedContinuation<Bool, Never>
    }

    private let loop: EventLoop
    private let alarm: TurnAlarm
    private var waiters: [UInt64: Waiter] = [:]
    private var nextWaiter: UInt64 = 1
    private var works: Set<UInt64> = []
    private var nextWork: UInt64 = 1
    private var holds: (Milestone) -> Bool = { _ in false }

    /// Seconds that a path or a process may take to be looked at.
    package static let patience = 10.0

    package init(loop: EventLoop) {
        self.loop = loop
        alarm = TurnAlarm(loop: loop)
    }

    /// - Parameter holds: whether something has come about; asked on the loop.
    package func start(_ holds: @escaping (Milestone) -> Bool) {
        self.holds = holds
        alarm.start(
            times: { [weak self] in (self?.waiters.values.lazy.compactMap(\.due).min(), nil) },
            ring: { [weak self] in self?.timeIsUp() }
        )
    }

    // MARK: Waiting

    /// Waits; false when the connection ends first, or the daemon, or so many seconds are over.
    @discardableResult
    package func wait(
        for cause: Cause,
        of connection: ConnectionID? = nil,
        within seconds: Double? = nil
    ) async -> Bool {
        // Looked at here: whoever calls may be suspended on the way, and what comes about meanwhile would be missed.
        if hasComeAbout(cause) { return true }
        let due = seconds.map { loop.uptime + $0 }
        if due != nil { alarm.changed() }
        return await withCheckedContinuation { continuation in
            waiters[nextWaiter] = Waiter(cause: cause, connection: connection, due: due, continuation: continuation)
            nextWaiter += 1
        }
    }

    private func hasComeAbout(_ cause: Cause) -> Bool {
        switch cause {
        case .milestone(let milestone): holds(milestone)
        case .app(let app, let condition): condition(app)
        case .work(let number): !works.contains(number)
        }
    }

    /// Something may have changed that somebody waits for.
    package func happened(to app: SupervisedApp) {
        guard !waiters.isEmpty else { return }
        resume(true) { waiter in
            switch waiter.cause {
            case .app(let other, let condition): other === app && condition(app)
            case .milestone(.settled): holds(.settled)
            case .milestone(.ready), .milestone(.launched), .work: false
            }
        }
    }

    /// It has come about, for all who wait for it.
    package func reached(_ milestone: Milestone) {
        resume(true) { waiter in
            guard case .milestone(milestone) = waiter.cause else { return false }
            return true
        }
    }

    /// Nobody is there any more to be answered.
    package func ended(_ connection: ConnectionID) {
        guard !waiters.isEmpty else { return }
        resume(false) { $0.connection == connection }
    }

    /// The daemon comes to its end.
    package func giveUp() { resume(false) { _ in true } }

    /// Whose patience is at its end is answered.
    private func timeIsUp() {
        let now = loop.uptime
        resume(false) { waiter in waiter.due.map { $0 <= now } ?? false }
        alarm.changed()
    }

    private func resume(_ answer: Bool, _ isMeant: (Waiter) -> Bool) {
        for (number, waiter) in waiters where isMeant(waiter) {
            waiters[number] = nil
            waiter.continuation.resume(returning: answer)
        }
    }

    // MARK: Work that may hang

    /// Whether no work on a thread of its own is waited for.
    package var isWithoutWork: Bool { works.isEmpty }

    private final class Answer<Value: Sendable>: Sendable {
        private let value = Mutex<Value?>(nil)

        var taken: Value? { value.withLock { $0 } }
        func put(_ new: Value) { value.withLock { $0 = new } }
    }

    /// Runs `body` on a thread of its own, where it holds up nobody else: it may hang, such as on a mount that does not
    /// answer.
    ///
    /// - Parameters:
    ///   - seconds: after which it is not waited for any more; nil for work that has a limit itself.
    ///   - body: what may block.
    /// - Returns: what it returns; nil when that took too long, or the daemon ends.
    package func patiently<Value: Sendable>(
        within seconds: Double? = patience,
        _ body: @escaping @Sendable () -> Value
    ) async -> Value? {
        let answer = Answer<Value>()
        let number = nextWork
        nextWork += 1
        works.insert(number)
        let hasStarted = LoneThread.start(for: loop) {
            answer.put(body())
            self.loop.post { self.workHasEnded(number) }
        }
        if hasStarted { await wait(for: .work(number), within: seconds) }
        // Late, or not begun.
        if works.contains(number) { workHasEnded(number) }
        return answer.taken
    }

    private func workHasEnded(_ number: UInt64) {
        works.remove(number)
        resume(true) { waiter in
            switch waiter.cause {
            case .work(number): true
            case .milestone(.settled): holds(.settled)
            case .milestone(.ready), .milestone(.launched), .work, .app: false
            }
        }
    }
}
