// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// One request as the fault server read it.
package struct RecordedRequest: Sendable {
    package var method: String
    /// Path and query as on the request line.
    package var target: String
    /// The third word of the request line.
    package var version: String
    package var headers: [HeaderField]
    /// Which connection it came on, counting from 1.
    package var connection: Int
    /// The time on the monotonic clock, in seconds, at which its head had arrived.
    package var receivedAt: Double
    /// The part of the body that was read.
    package var body: [UInt8] = []
    /// Whether the body was read to its end.
    package var isWhole = false

    /// The target without its query.
    package var path: String { target.split(separator: "?").first.map(String.init) ?? "" }

    /// The end, exclusive, of the range in `Range: bytes=N-M`; nil for a range without an end.
    package var rangeEnd: Int64? {
        headers["Range"].flatMap { text in
            let bounds = text.dropFirst(6).split(separator: "-")
            return bounds.count == 2 ? Int64(bounds[1]).map { $0 + 1 } : nil
        }
    }

    /// The first byte that a `Range: bytes=N-` asks for; nil without such a header.
    package var rangeStart: Int64? {
        headers["Range"].flatMap { text in
            text.hasPrefix("bytes=") ? text.dropFirst(6).split(separator: "-").first.flatMap { Int64($0) } : nil
        }
    }
}
