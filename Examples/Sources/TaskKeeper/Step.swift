// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What is due at some time after the app was sent to background: `SECONDS:end:COUNT`, `SECONDS:end:all`,
/// `SECONDS:work:NAME`, `SECONDS:leak:NAME`.
struct Step: Sendable {
    enum Action: Sendable {
        case end(Int)
        case endAll
        /// Something that the app would have to do then.
        case work(String)
        case leak(String)
    }

    let delay: TimeInterval
    let action: Action

    init?(_ argument: String) {
        let words = argument.split(separator: ":").map(String.init)
        guard words.count == 3, let delay = TimeInterval(words[0]) else { return nil }
        self.delay = delay
        switch words[1] {
        case "end":
            if words[2] == "all" {
                action = .endAll
            } else if let count = Int(words[2]) {
                action = .end(count)
            } else {
                return nil
            }
        case "work": action = .work(words[2])
        case "leak": action = .leak(words[2])
        default: return nil
        }
    }
}
