// SPDX-License-Identifier: Apache-2.0
package import OffstageRuntime
import Synchronization

/// Waits for events of apps, and for work on separate threads.
///
/// `@unchecked Sendable`: belongs to the loop, to which work posts its results from its own thread.
package final class AppWaiting: @unchecked Sendable {
    package typealias ConnectionID = AppCenter.ConnectionID

    /// An event that concerns all apps.
    package enum Milestone: Sendable {
        /// The store was read, and all apps have been found.
        case ready
        /// No launch is under way.
        case launched
        /// No app is changing its state.
        case settled
    }

    /// The events that can be waited for.
    package enum Cause {
        case milestone(Milestone)
        /// An event of an app after which the condition holds.
        case app(SupervisedApp, condition: (SupervisedApp) -> Bool)
        /// The end of work on its own thread.
        case work(UInt64)
    }

    private struct Waiter {
        var cause: Cause
        /// The connection whose end also ends the wait, if any.
        var connection: ConnectionID?
    }

    private let loop: EventLoop
    private let alarm: TurnAlarm
    private let waits = Waiters<UInt64, Bool>()
    /// The waits in progress.
    private var waiters: [UInt64: Waiter] = [:]
    private var nextWaiter: UInt64 = 1
    private var works: Set<UInt64> = []
    private var nextWork: UInt64 = 1
    private var holds: (Milestone) -> Bool = { _ in false }

    /// Seconds that inspecting a path or process may take.
    package static let patience = 10.0

    package init(loop: EventLoop) {
        self.loop = loop
        alarm = TurnAlarm(loop: loop)
    }

    /// - Parameter holds: whether the event has occurred; asked on the loop.
    package func start(_ holds: @escaping (Milestone) -> Bool) {
        self.holds = holds
        alarm.start(
            times: { [weak self] in (self?.waits.nextDue, nil) },
            ring: { [weak self] in self?.timeIsUp() }
        )
    }

    // MARK: Waiting

    /// Waits; false if the connection ends first, the daemon stops, or the seconds elapse.
    @discardableResult
    package func wait(
        for cause: Cause,
        of connection: ConnectionID? = nil,
        within seconds: Double? = nil
    ) async -> Bool {
        let due = seconds.map { loop.uptime + $0 }
        let number = nextWaiter
        nextWaiter += 1
        defer { waiters[number] = nil }
        return await waits.wait(for: number, until: due) {
            if hasComeAbout(cause) { return true }
            waiters[number] = Waiter(cause: cause, connection: connection)
            if due != nil { alarm.changed() }
            return nil
        }
    }

    private func hasComeAbout(_ cause: Cause) -> Bool {
        switch cause {
        case .milestone(let milestone): holds(milestone)
        case .app(let app, let condition): condition(app)
        case .work(let number): !works.contains(number)
        }
    }

    /// Rechecks the conditions that callers wait for, after an event of the app.
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

    /// Resumes all callers that wait for a milestone.
    package func reached(_ milestone: Milestone) {
        resume(true) { waiter in
            guard case .milestone(milestone) = waiter.cause else { return false }
            return true
        }
    }

    /// Ends the waits of a connection that has ended, and that needs no answer.
    package func ended(_ connection: ConnectionID) {
        guard !waiters.isEmpty else { return }
        resume(false) { $0.connection == connection }
    }

    /// Ends all waits because the daemon is stopping.
    package func giveUp() { resume(false) { _ in true } }

    /// Ends the waits whose time is over.
    private func timeIsUp() {
        waits.resumeDue(at: loop.uptime, returning: false)
        alarm.changed()
    }

    private func resume(_ answer: Bool, _ isMeant: (Waiter) -> Bool) {
        for (number, waiter) in waiters where isMeant(waiter) {
            waiters[number] = nil
            waits.resume(number, returning: answer)
        }
    }

    // MARK: Work that may hang

    /// Whether no caller waits for work on a separate thread.
    package var isWithoutWork: Bool { works.isEmpty }

    private final class Answer<Value: Sendable>: Sendable {
        private let value = Mutex<Value?>(nil)

        var taken: Value? { value.withLock { $0 } }
        func put(_ new: Value) { value.withLock { $0 = new } }
    }

    /// Runs `body` on its own thread, so that it delays no other work: it may hang, for example on an unresponsive
    /// mount.
    ///
    /// - Parameters:
    ///   - seconds: the limit of the wait; nil for work with its own limit.
    ///   - body: the work, which may block.
    /// - Returns: the result of `body`; nil if it took too long, did not begin, or the daemon stops. If `body` itself
    ///   may return nil, the two are different answers: unwrap one after the other where a person is given the reason.
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
        // It is too late, or did not begin.
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
