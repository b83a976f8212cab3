// SPDX-License-Identifier: Apache-2.0

/// How a file is divided into the parts of an S3 upload: all parts but the last have the same size.
package struct PartPlan: Sendable, Hashable {
    /// Bytes of the file; at least one.
    package let size: Int64
    /// Bytes of every part but the last.
    package let partSize: Int64

    /// Part sizes are rounded up to a multiple of this.
    private static let unit: Int64 = 1 << 20
    /// The usual part size. A part that breaks is sent again as a whole.
    private static let usual: Int64 = 8 << 20
    /// The usual part size of a large file, since each part costs a round trip.
    private static let usualOfLarge: Int64 = 16 << 20
    private static let large: Int64 = 512 << 20

    /// The parts of a file that is sent for the first time; nil if the file does not fit into the allowed number of
    /// parts.
    ///
    /// - Parameters:
    ///   - size: bytes of the file.
    ///   - limit: the most parts that the endpoint accepts.
    package init?(size: Int64, limit: Int) {
        let usual = size < Self.large ? Self.usual : Self.usualOfLarge
        let parts = Int64(clamping: max(1, limit))
        let least = size / parts + (size % parts == 0 ? 0 : 1)  // checked: at least one part
        let rounded = least.addingClamped(Self.unit - 1) / Self.unit * Self.unit  // checked: not more than before
        self.init(size: size, partSize: max(usual, rounded))
    }

    /// The parts of a file of which some have been sent; nil if no endpoint accepts parts of that size.
    package init?(size: Int64, partSize: Int64) {
        guard size > 0, S3Parameters.partSizes.contains(partSize) else { return nil }
        self.size = size
        self.partSize = partSize
    }

    /// The number of parts.
    package var count: Int {
        // checked: a part is not empty
        Int(clamping: size / partSize + (size % partSize == 0 ? 0 : 1))
    }

    /// The bytes of a part; the first part is 1. Nil if there is no such part.
    package func range(of part: Int) -> Range<Int64>? {
        guard part >= 1, part <= count else { return nil }
        // checked: a part that exists begins within the file
        let begin = Int64(part - 1) * partSize
        return begin..<min(size, begin.addingClamped(partSize))
    }
}
