// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// How far the daemon has got with its apps: at first it finds those of the daemon before, and at the end it leaves
/// them.
package struct AppReadiness {
    /// Whether all apps have been found.
    package private(set) var isReady = false
    package var isStopping = false
    /// The requests of sessions before that.
    private var early: [AppNotice] = []

    package init() {}

    /// Keeps a request that comes before all apps have been found; false if it counts now.
    package mutating func keeps(_ notice: AppNotice) -> Bool {
        guard !isReady else { return false }
        early.append(notice)
        return true
    }

    /// All apps have been found.
    ///
    /// - Returns: the kept requests, which count now.
    package mutating func becomeReady() -> [AppNotice] {
        isReady = true
        defer { early = [] }
        return early
    }
}
