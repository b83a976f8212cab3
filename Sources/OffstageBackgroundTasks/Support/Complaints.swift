// SPDX-License-Identifier: Apache-2.0
import Offstage
import Synchronization

/// Reports mistakes that the app's code may not show to its developer: one sentence on standard error, once for each
/// subject. From any thread.
final class Complaints: Sendable {
    private let made = Mutex<Set<String>>([])

    /// - Parameters:
    ///   - subject: what the sentence is about. A second sentence about the same subject is not written.
    ///   - sentence: what happened, to what, and what to do about it.
    func make(about subject: String, _ sentence: String) {
        guard made.withLock({ $0.insert(subject).inserted }) else { return }
        Self.write(sentence)
    }

    static func write(_ sentence: String) {
        StandardError.write("BackgroundTasks: \(sentence)")
    }
}
