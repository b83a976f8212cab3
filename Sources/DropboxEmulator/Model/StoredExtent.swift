// SPDX-License-Identifier: Apache-2.0

/// Stored bytes of one request's body: a part of the segment that the edge wrote it to.
package struct StoredExtent: Sendable, Equatable {
    /// The segment's name; nil if bytes are hashed and discarded.
    package var segment: String?
    package var offset: Int64
    package var length: Int64

    package init(segment: String?, offset: Int64, length: Int64) {
        self.segment = segment
        self.offset = offset
        self.length = length
    }

    /// A part of this extent.
    func part(from start: Int64, length: Int64) -> StoredExtent {
        StoredExtent(segment: segment, offset: offset + start, length: length)
    }
}

extension [StoredExtent] {
    /// The extents that hold a range of these extents' bytes.
    func slice(_ range: Range<Int64>) -> [StoredExtent] {
        var result: [StoredExtent] = []
        var position: Int64 = 0
        for extent in self {
            let part = (position..<position + extent.length).clamped(to: range)
            if !part.isEmpty { result.append(extent.part(from: part.lowerBound - position, length: Int64(part.count))) }
            position += extent.length
        }
        return result
    }
}
