// SPDX-License-Identifier: Apache-2.0

/// The number of sessions, files and blocks that need each segment. A segment that is no longer needed is handed out
/// once, to be deleted.
struct SegmentReferences: Sendable {
    private var counts: [String: Int] = [:]
    private var released: [String] = []

    /// All segments in use.
    var all: [String] { Array(counts.keys) }

    mutating func retain(_ extents: [StoredExtent]) {
        for case let segment? in extents.map(\.segment) { counts[segment, default: 0] += 1 }
    }

    mutating func release(_ extents: [StoredExtent]) {
        for case let segment? in extents.map(\.segment) {
            guard let count = counts[segment] else { continue }
            counts[segment] = count > 1 ? count - 1 : nil
            if count == 1 { released.append(segment) }
        }
    }

    /// Drops a request's hold on its segment, which is released unless something needs it.
    mutating func drop(_ segment: String) { if counts[segment] == nil { released.append(segment) } }

    /// The segments that have become unused since the last call.
    mutating func takeReleased() -> [String] {
        defer { released = [] }
        return released
    }
}
