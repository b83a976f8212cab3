// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What of apps' journals could not be taken in: `offstage doctor` and `offstage daemon status` say so.
package struct JournalTroubles {
    /// By app: how often, and what it was last.
    private var troubles: [String: (count: Int, last: String)] = [:]
    /// Some say enough.
    package static let most = 20

    package init() {}

    /// Something that an app handed over is lost.
    package mutating func add(_ what: String, of app: String) {
        troubles[app, default: (0, "")].count += 1
        troubles[app]?.last = what
        if troubles.count > Self.most, let other = troubles.keys.first(where: { $0 != app }) { troubles[other] = nil }
    }

    /// The same as sentences.
    package var notices: [String] {
        troubles.sorted { $0.key < $1.key }.map { app, trouble in
            let often = trouble.count == 1 ? "" : " (\(trouble.count) times)"
            return "Something that the app \(app.redactedControls) handed over was left out\(often): \(trouble.last)."
        }
    }
}
