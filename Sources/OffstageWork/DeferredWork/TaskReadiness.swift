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
        if !isReady { await withCheckedContinuation { waiters.append($0) } }
    }

    package func becomeReady() {
        isReady = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }
}
