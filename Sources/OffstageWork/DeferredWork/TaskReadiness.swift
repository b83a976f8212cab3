// SPDX-License-Identifier: Apache-2.0

/// How far the daemon has got with deferred work: at first it determines the outcomes of tasks that the daemon before
/// began.
package final class TaskReadiness {
    package private(set) var isReady = false
    package var isStopping = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// Waits until all requests have been read and all apps found.
    package func wait() async {
        await withCheckedContinuation { continuation in
            // Checked here: the caller may be suspended on the way, and would miss the event in the meantime.
            if isReady { continuation.resume() } else { waiters.append(continuation) }
        }
    }

    package func becomeReady() {
        isReady = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }
}
