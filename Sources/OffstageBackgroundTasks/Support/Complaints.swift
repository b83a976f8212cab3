// SPDX-License-Identifier: Apache-2.0
import Foundation
import OffstageCore
import Synchronization

/// What a developer should read of a mistake that the app's code may not show: one sentence on standard error, once for
/// each subject. From any thread.
final class Complaints: Sendable {
    private let made = Mutex<Set<String>>([])

    /// - Parameters:
    ///   - subject: what it is about: a second sentence about it is not written.
    ///   - sentence: what has happened, to what, and what to do.
    func make(about subject: String, _ sentence: String) {
        guard made.withLock({ $0.insert(subject).inserted }) else { return }
        Self.write(sentence)
    }

    static func write(_ sentence: String) {
        try? FileHandle.standardError.write(contentsOf: Data("BackgroundTasks: \(sentence.redactedControls)\n".utf8))
    }
}
