// SPDX-License-Identifier: Apache-2.0
import OffstageRuntime

/// Counts work that must not be interrupted, so that the daemon's end can wait for it.
///
/// `@unchecked Sendable`: belongs to the loop, like every caller.
final class WorkUnderWay: @unchecked Sendable {
    private enum Milestone { case allHasEnded }

    private var count = 0
    private let waiters = Waiters<Milestone, Void>()

    func begin() { count += 1 }

    func end() {
        count -= 1
        if count == 0 { waiters.resume(.allHasEnded) }
    }

    func untilAllHasEnded() async {
        while count > 0 { await waiters.wait(for: .allHasEnded) { count > 0 } }
    }
}
