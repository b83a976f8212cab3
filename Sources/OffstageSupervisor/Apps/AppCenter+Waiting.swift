// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Requests that are answered when something has come about.
extension AppCenter {
    /// What somebody may wait for.
    enum Cause {
        /// The store was read, and every app asked.
        case ready
        /// The condition holds, of an app that something has happened to.
        case app(SupervisedApp, condition: (SupervisedApp) -> Bool)
        /// The work on a thread of its own is done.
        case work(UInt64)
        /// No launch is under way.
        case launched
        /// No app is on its way anywhere.
        case settled
    }

    struct Waiter {
        var cause: Cause
        /// Whose request it is, if it ends with the connection.
        var connection: ConnectionID?
        /// When it is not waited for any more, in seconds on the boot-time clock; nil for never.
        var due: Double?
        var continuation: CheckedContinuation<Bool, Never>
    }

    /// Waits; false when the connection ends first, or the daemon, or so many seconds are over.
    @discardableResult
    func wait(_ cause: Cause, for connection: ConnectionID? = nil, within seconds: Double? = nil) async -> Bool {
        // Looked at here: whoever calls may be suspended on the way, and what comes about meanwhile would be missed.
        if hasComeAbout(cause) { return true }
        let due = seconds.map { clock.now().uptime + $0 }
        if due != nil { armAlarm() }
        return await withCheckedContinuation { continuation in
            waiters[nextWaiter] = Waiter(cause: cause, connection: connection, due: due, continuation: continuation)
            nextWaiter += 1
        }
    }

    private func hasComeAbout(_ cause: Cause) -> Bool {
        switch cause {
        case .ready: isReady
        case .app(let app, let condition): condition(app)
        case .work(let number): !worksUnderWay.contains(number)
        case .launched: launchesUnderWay == 0
        case .settled: isSettled
        }
    }

    func waitUntilReady() async { await wait(.ready) }

    /// Something may have changed that somebody waits for.
    func happened(to app: SupervisedApp) {
        guard !waiters.isEmpty else { return }
        resume(true) { waiter in
            switch waiter.cause {
            case .app(let other, let condition): other === app && condition(app)
            case .settled: isSettled
            case .ready, .work, .launched: false
            }
        }
    }

    func resumeAll(_ cause: Cause) {
        resume(true) { waiter in
            switch (waiter.cause, cause) {
            case (.ready, .ready), (.launched, .launched): true
            default: false
            }
        }
    }

    /// Nobody is there any more to be answered.
    func stopWaiting(for connection: ConnectionID) {
        guard !waiters.isEmpty else { return }
        resume(false) { $0.connection == connection }
    }

    /// Whose patience is at its end is answered.
    func stopWaiting(at uptime: Double) {
        guard !waiters.isEmpty else { return }
        resume(false) { waiter in waiter.due.map { $0 <= uptime } ?? false }
    }

    func resume(_ answer: Bool, _ isMeant: (Waiter) -> Bool) {
        for (number, waiter) in waiters where isMeant(waiter) {
            waiters[number] = nil
            waiter.continuation.resume(returning: answer)
        }
    }
}
