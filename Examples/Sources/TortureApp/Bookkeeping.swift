// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// The tasks that have not ended, over all launches.
final class Bookkeeping: Sendable {
    private struct State {
        var waiting: Set<String> = []
        var ended: Set<String> = []
        var hasHandedAllOver = false
    }

    /// Tasks that an earlier launch handed over, or was about to when it was killed.
    let begunEarlier: Set<String>
    private let state = Mutex(State())

    init(_ lines: [Substring]) {
        var begun: Set<String> = []
        var resumed: Set<String> = []
        var ended: Set<String> = []
        for line in lines {
            let words = line.split(separator: " ")
            switch words[0] {
            case "resuming": begun.insert(String(words[1]))
            case "resumed": resumed.insert(String(words[1]))
            case "end" where words[1] == "completed": ended.insert(String(words[2]))
            default: break
            }
        }
        begunEarlier = begun
        state.withLock {
            $0.ended = ended
            $0.waiting = resumed.subtracting(ended)
        }
    }

    func began(_ name: String) {
        state.withLock { if !$0.ended.contains(name) { _ = $0.waiting.insert(name) } }
    }

    /// Returns whether all tasks have ended.
    func ended(_ name: String) -> Bool {
        state.withLock {
            $0.ended.insert(name)
            $0.waiting.remove(name)
            return $0.hasHandedAllOver && $0.waiting.isEmpty
        }
    }

    /// Returns whether all tasks have ended.
    func handedAllOver() -> Bool {
        state.withLock {
            $0.hasHandedAllOver = true
            return $0.waiting.isEmpty
        }
    }
}
