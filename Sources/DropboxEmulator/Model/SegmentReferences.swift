// SPDX-License-Identifier: Apache-2.0

/// How many sessions, files and blocks need each segment: one that nobody needs any more is handed out once, to be
/// deleted.
struct SegmentReferences: Sendable {
    private var counts: [String: Int] = [:]
    private var released: [String] = []

    /// All segments that somebody needs.
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

    /// A request's segment has served: unless something needs it, it is released, too.
    mutating func drop(_ segment: String) { if counts[segment] == nil { released.append(segment) } }

    /// The segments that nobody needs since the last call.
    mutating func takeReleased() -> [String] {
        defer { released = [] }
        return released
    }
}
