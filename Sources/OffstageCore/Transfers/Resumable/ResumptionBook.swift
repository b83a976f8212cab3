// SPDX-License-Identifier: Apache-2.0

/// How servers have reacted to the offer to resume an upload: in memory, for a day, and for a limited number of
/// servers.
package struct ResumptionBook: Sendable {
    package enum Finding: Sendable, Equatable {
        /// The server states where uploads are resumed, in this version of the protocol.
        case taken(version: Int)
        /// The server does not know the offer, and accepts the upload.
        case ignored
        /// The server accepts the upload only without the offer, or cannot resume it although it claimed to.
        case refused
    }

    private struct Note: Sendable {
        var finding: Finding
        var notedAt: Moment
    }

    private var notes: [String: Note] = [:]

    /// The most servers that are remembered.
    package static let most = 256
    /// Seconds for which they are remembered.
    package static let lifetime = 86_400.0

    package init() {}

    package var count: Int { notes.count }

    /// How the server of a URL has reacted to the offer; nil if that is unknown, or no longer known.
    package func finding(for url: RequestURL, now: Moment) -> Finding? {
        guard let note = notes[Self.key(url)], now.seconds(since: note.notedAt) < Self.lifetime else { return nil }
        return note.finding
    }

    /// Records how the server of a URL has reacted to the offer; if there are too many entries, the oldest one is
    /// dropped.
    package mutating func record(_ finding: Finding, for url: RequestURL, now: Moment) {
        let key = Self.key(url)
        if notes[key] == nil, notes.count >= Self.most,
            let oldest = notes.max(by: { now.seconds(since: $0.value.notedAt) < now.seconds(since: $1.value.notedAt) })
        {
            notes[oldest.key] = nil
        }
        notes[key] = Note(finding: finding, notedAt: now)
    }

    private static func key(_ url: RequestURL) -> String { "\(url.scheme)://\(url.hostKey)" }
}
