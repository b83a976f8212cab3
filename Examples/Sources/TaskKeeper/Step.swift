// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The actions due at some time after the app was sent to background, one directly after the other:
/// `SECONDS:ACTION[,ACTION]…` with the actions `end:COUNT`, `end:all`, `work:NAME` and `leak:NAME`.
struct Step: Sendable {
    enum Action: Sendable {
        case end(Int)
        case endAll
        /// Work that the app would have to do then.
        case work(String)
        case leak(String)
    }

    let delay: TimeInterval
    let actions: [Action]

    init?(_ argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let delay = TimeInterval(parts[0]) else { return nil }
        self.delay = delay
        let words = parts[1].split(separator: ",")
        actions = words.compactMap(Action.init)
        guard !words.isEmpty, actions.count == words.count else { return nil }
    }
}

extension Step.Action {
    fileprivate init?(_ text: Substring) {
        let words = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 2 else { return nil }
        switch (words[0], words[1], Int(words[1])) {
        case ("end", "all", _): self = .endAll
        case ("end", _, let count?): self = .end(count)
        case ("work", let name, _): self = .work(name)
        case ("leak", let name, _): self = .leak(name)
        default: return nil
        }
    }
}
