// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A server's limits for the size of appends (`Upload-Limit`, a dictionary of RFC 8941).
struct UploadLimits: Sendable, Equatable, Codable {
    /// The most bytes of an append; nil for no limit.
    var mostPerAppend: Int64?

    /// The shortest append for sending a file, in bytes: each is a request and a commit, and a server that takes one
    /// byte at a time would get millions of them.
    static let shortestAppend: Int64 = 65_536

    /// Whether that many remaining bytes can be sent in appends of at most `most` bytes.
    static func allow(_ most: Int64, rest: Int64) -> Bool { most >= shortestAppend || rest <= most }

    /// Nil if the response states no limits, or its field is not a dictionary of integers.
    init?(_ headers: [HeaderField]) {
        guard let text = headers["Upload-Limit"] else { return nil }
        for item in text.split(separator: ",") {
            let parts = item.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
            // checked: there are two parts from here on
            guard parts.count == 2 else { return nil }
            let isKnown = ["max-size", "min-size", "max-append-size", "min-append-size", "max-age", "expires"]
                .contains(parts[0])
            guard isKnown else { continue }
            // A known key of the wrong type makes the whole field worthless.
            guard let value = Int64(digits: parts[1]) else { return nil }
            if parts[0] == "max-append-size" { mostPerAppend = value > 0 ? value : nil }
        }
    }
}
