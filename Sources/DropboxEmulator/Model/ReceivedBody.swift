// SPDX-License-Identifier: Apache-2.0

/// What the edge has made of a request's body by the plan in `EmulatorCall`.
package struct ReceivedBody: Sendable {
    /// A part of the body that belongs to one session or file.
    package struct Part: Sendable {
        package var length: Int64
        /// The plan's hasher, which has taken the part's bytes.
        package var hasher: ContentHasher
        /// Where the part begins in the segment.
        package var offset: Int64

        package init(length: Int64, hasher: ContentHasher, offset: Int64) {
            self.length = length
            self.hasher = hasher
            self.offset = offset
        }
    }

    /// Bytes that came, also those behind the last part.
    package var length: Int64
    /// `content_hash` of all bytes that came.
    package var contentHash: String
    package var parts: [Part]
    /// The file that holds the body; nil where bytes are discarded or none came.
    package var segment: String?
    /// The bytes themselves, where the plan asks for them.
    package var bytes: [UInt8]
    /// False when the client or a fault broke the request off.
    package var isWhole: Bool

    package init(
        length: Int64 = 0,
        contentHash: String = "",
        parts: [Part] = [],
        segment: String? = nil,
        bytes: [UInt8] = [],
        isWhole: Bool = true
    ) {
        self.length = length
        self.contentHash = contentHash
        self.parts = parts
        self.segment = segment
        self.bytes = bytes
        self.isWhole = isWhole
    }
}
