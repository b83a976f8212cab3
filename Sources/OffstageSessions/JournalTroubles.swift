// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Records of apps' journals that could not be taken in, for `offstage doctor` and `offstage daemon status`.
package struct JournalTroubles {
    /// By app: their number, and the last trouble.
    private var troubles: [String: (count: Int, last: String)] = [:]
    /// The paths of journals that the store has no entry of.
    private var unknown: [String] = []
    /// A few say enough.
    package static let most = 20
    /// The most bytes of a trouble that are kept: it may quote what the app wrote, and all of them share one answer.
    package static let longest = 300

    package init() {}

    /// Something that an app handed over has been lost.
    package mutating func add(_ what: String, of app: String) {
        troubles[app, default: (0, "")].count += 1
        troubles[app]?.last = what.utf8.count > Self.longest ? what.first(bytes: Self.longest) + "…" : what
        if troubles.count > Self.most, let other = troubles.keys.first(where: { $0 != app }) { troubles[other] = nil }
    }

    /// Journals were found that the store has no entry of. They have been set aside, and lie at these paths.
    package mutating func add(unknown paths: [String]) { unknown += paths }

    /// The same as sentences.
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
