// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// How far the daemon has got with its apps: at first it finds the apps of the daemon before, and at the end it leaves
/// its own.
package struct AppReadiness {
    /// Whether all apps have been found.
    package private(set) var isReady = false
    package var isStopping = false
    /// Requests of sessions that arrived before that.
    private var early: [AppNotice] = []

    package init() {}

    /// Keeps a request that arrives before all apps have been found; false if it can be handled now.
    package mutating func keeps(_ notice: AppNotice) -> Bool {
        guard !isReady else { return false }
        early.append(notice)
        return true
    }

    /// Records that all apps have been found.
    ///
    /// - Returns: the kept requests, which can be handled now.
    package mutating func becomeReady() -> [AppNotice] {
        isReady = true
        defer { early = [] }
        return early
    }
}
