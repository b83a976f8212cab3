// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Requests that are answered when something has come about.
extension AppCenter {
    /// What somebody may wait for.
    enum Cause {
        /// The store was read, and every app asked.
        case ready
        /// Nothing is on its way into the store.
        case durable
        /// The condition holds, of an app that something has happened to.
        case app(SupervisedApp, condition: (SupervisedApp) -> Bool)
    }

    struct Waiter {
        var cause: Cause
        /// Whose request it is, if it ends with the connection.
        var connection: ConnectionID?
        var continuation: CheckedContinuation<Bool, Never>
    }

    /// Waits; false when the connection ends first, or the daemon.
    @discardableResult
    func wait(_ cause: Cause, for connection: ConnectionID? = nil) async -> Bool {
        if case .app(let app, let condition) = cause, condition(app) { return true }
        return await withCheckedContinuation { continuation in
            waiters[nextWaiter] = Waiter(cause: cause, connection: connection, continuation: continuation)
            nextWaiter += 1
        }
    }

    func waitUntilReady() async {
        if !isReady { await wait(.ready) }
    }

    /// Something may have changed that somebody waits for.
    func happened(to app: SupervisedApp) {
        guard !waiters.isEmpty else { return }
        resume(true) { waiter in
            if case .app(let other, let condition) = waiter.cause { other === app && condition(app) } else { false }
        }
    }

    func resumeAll(_ cause: Cause) {
        resume(true) { waiter in
            switch (waiter.cause, cause) {
            case (.ready, .ready), (.durable, .durable): true
            default: false
            }
        }
    }

    /// Nobody is there any more to be answered.
    func stopWaiting(for connection: ConnectionID) {
        guard !waiters.isEmpty else { return }
        resume(false) { $0.connection == connection }
    }

    private func resume(_ answer: Bool, _ isMeant: (Waiter) -> Bool) {
        for (number, waiter) in waiters where isMeant(waiter) {
            waiters[number] = nil
            waiter.continuation.resume(returning: answer)
        }
    }
}
