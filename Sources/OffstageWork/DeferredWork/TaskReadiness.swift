// SPDX-License-Identifier: Apache-2.0
import OffstageRuntime

/// How far the daemon has got with deferred work: at first it determines the outcomes of tasks that the daemon before
/// started.
package final class TaskReadiness {
    package private(set) var isReady = false
    package var isStopping = false
    private let waiters = Waiters<Milestone, Void>()

    private enum Milestone { case ready }

    package init() {}

    /// Waits until all requests have been read and all apps found.
    package func wait() async { await waiters.wait(for: .ready) { !isReady } }

    package func becomeReady() {
        isReady = true
        waiters.resume(.ready)
    }
}
