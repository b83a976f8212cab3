// SPDX-License-Identifier: Apache-2.0

/// Identifies a file and its content: enough to notice an edit or a replacement.
package struct FileIdentity: Sendable, Hashable, Codable {
    package var device: UInt64
    package var inode: UInt64
    /// Bytes.
    @Within<ByteCounts> package var size: Int64
    /// Nanoseconds since 1970.
    package var modified: Int64

    package init(device: UInt64, inode: UInt64, size: Int64, modified: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
    }

    /// Reads a JSON array: a compact form, since every record of an upload contains an identity.
    package init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        device = try container.decode(UInt64.self)
        inode = try container.decode(UInt64.self)
        size = try ByteCounts.checked(container.decode(Int64.self), from: decoder)
        modified = try container.decode(Int64.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(device)
        try container.encode(inode)
        try container.encode(size)
        try container.encode(modified)
    }

    /// A file's time in the form of `modified`. A time centuries away wraps around, but still differs from other times.
    package static func nanoseconds(seconds: Int, and rest: Int) -> Int64 {
        Int64(seconds) &* 1_000_000_000 &+ Int64(rest)
    }

    /// Whether both are the same file, even if its content or times have changed.
    package func isSameFile(as other: FileIdentity) -> Bool {
        device == other.device && inode == other.inode
    }
}
