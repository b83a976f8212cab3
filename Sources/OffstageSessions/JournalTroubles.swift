// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Records of apps' journals that could not be imported, for `offstage doctor` and `offstage daemon status`.
package struct JournalTroubles {
    /// The number of troubles of each app, and the last one.
    private var troubles: [String: (count: Int, last: String)] = [:]
    /// The paths of journals without an entry in the store.
    private var unknown: [String] = []
    /// The most sentences; a few suffice.
    package static let most = 20
    /// The most bytes that are kept of a trouble: it may quote the app's data, and all of them share one answer.
    package static let longest = 300

    package init() {}

    /// Adds the loss of something that an app handed over.
    package mutating func add(_ what: String, of app: String) {
        troubles[app, default: (0, "")].count += 1
        troubles[app]?.last = what.utf8.count > Self.longest ? what.first(bytes: Self.longest) + "…" : what
        if troubles.count > Self.most, let other = troubles.keys.first(where: { $0 != app }) { troubles[other] = nil }
    }

    /// Adds journals without an entry in the store. They have been set aside at these paths.
    package mutating func add(unknown paths: [String]) { unknown += paths }

    /// The troubles as sentences.
    package var notices: [String] {
        let ofApps = troubles.sorted { $0.key < $1.key }.map { app, trouble in
            let often = trouble.count == 1 ? "" : " (\(trouble.count) times)"
            return "Something that the app \(app.redactedControls) handed over was left out\(often): \(trouble.last)."
        }
        guard let path = unknown.first else { return ofApps }
        let which = unknown.count == 1 ? "a journal" : "\(unknown.count) journals, the first"
        let notice =
            "The store has no entry of \(which) kept as \(path): tasks that an app handed over last may be missing."
        return [notice + " Have the app hand them over again."] + ofApps
    }
}
