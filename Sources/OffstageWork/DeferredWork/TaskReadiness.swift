// SPDX-License-Identifier: Apache-2.0

/// How far the daemon is with deferred work: at first it finds out what became of what the one before had begun.
package final class TaskReadiness {
    package private(set) var isReady = false
    package var isStopping = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// Waits until every request has been read and every app found.
    package func wait() async {
        if !isReady { await withCheckedContinuation { waiters.append($0) } }
    }

    package func becomeReady() {
        isReady = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }
}
