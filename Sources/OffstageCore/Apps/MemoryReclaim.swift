// SPDX-License-Identifier: Apache-2.0

/// The apps to reclaim when memory is short: suspended apps, the least recently used first, one at a time. Running apps
/// are warned only if none is suspended
/// (<https://developer.apple.com/documentation/uikit/responding-to-memory-warnings>).
package enum MemoryReclaim: Sendable, Hashable {
    /// `AppEvent.reclaim` is for this app.
    case reclaim(String)
    /// `AppEvent.memoryWarning` is for these apps, by identifier; empty if nothing runs.
    case warn([String])

    /// An app as far as memory is concerned.
    package struct Candidate: Sendable {
        /// `AppIdentity`.
        package var id: String
        package var state: LifeState
        /// When it was last in front or woken, in seconds on `CLOCK_BOOTTIME`.
        package var lastUsed: Double

        package init(id: String, state: LifeState, lastUsed: Double) {
            self.id = id
            self.state = state
            self.lastUsed = lastUsed
        }
    }

    package static func decide(_ candidates: some Sequence<Candidate>) -> MemoryReclaim {
        var oldest: Candidate?
        var running: [String] = []
        for candidate in candidates {
            switch candidate.state {
            case .suspended:
                guard let chosen = oldest else {
                    oldest = candidate
                    continue
                }
                if (candidate.lastUsed, candidate.id) < (chosen.lastUsed, chosen.id) { oldest = candidate }
            case .inactive, .active, .background: running.append(candidate.id)
            case .launching, .terminated: break
            }
        }
        if let oldest { return .reclaim(oldest.id) }
        return .warn(running.sorted())
    }
}
