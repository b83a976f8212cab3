// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// How far the daemon is with its apps: at first it finds those that it has left behind, and in the end it leaves them.
package struct AppReadiness {
    /// Whether every app was found.
    package private(set) var isReady = false
    package var isStopping = false
    /// What sessions needed before that.
    private var early: [AppNotice] = []

    package init() {}

    /// Keeps what comes before every app was found; false when it counts now.
    package mutating func keeps(_ notice: AppNotice) -> Bool {
        guard !isReady else { return false }
        early.append(notice)
        return true
    }

    /// Every app was found.
    ///
    /// - Returns: what has come before, and counts now.
    package mutating func becomeReady() -> [AppNotice] {
        isReady = true
        defer { early = [] }
        return early
    }
}
