// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit

/// Background sessions of the app, which do nothing but exist. Unchecked: mutable state is only accessed with the lock
/// held.
final class Sessions: NSObject, URLSessionDelegate, @unchecked Sendable {
    static let shared = Sessions()
    private let lock = NSLock()
    private var sessions: [String: URLSession] = [:]

    /// Creates a session unless it exists, and logs its number of tasks once the daemon has reported it.
    func open(_ name: String) {
        let session = lock.withLock {
            let session =
                sessions[name]
                ?? URLSession(configuration: .background(withIdentifier: name), delegate: self, delegateQueue: nil)
            sessions[name] = session
            return session
        }
        session.getAllTasks { Log.shared.note("session \(name) has \($0.count) tasks") }
    }
}
