// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit

/// Background sessions of the app, which do nothing but be there.
/// Unchecked: what changes is only touched with the lock held.
final class Sessions: NSObject, URLSessionDelegate, @unchecked Sendable {
    static let shared = Sessions()
    private let lock = NSLock()
    private var sessions: [String: URLSession] = [:]

    /// Makes a session where there is none of the name, and says how many tasks it has once the daemon has said so.
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
