// SPDX-License-Identifier: Apache-2.0

/// Stops the program at a programming error that raises an exception on Apple's platforms.
package enum Misuse {
    /// - Parameters:
    ///   - call: the API that was called, as a developer writes it.
    ///   - reason: the rule that was broken, completing the sentence.
    package static func stop(_ call: String, _ reason: String) -> Never {
        fatalError("\(call): \(reason).")
    }
}
