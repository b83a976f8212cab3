// SPDX-License-Identifier: Apache-2.0

/// A request's body as the edge received it, according to the plan in `EmulatorCall`.
package struct ReceivedBody: Sendable {
    /// A part of the body that belongs to one session or file.
    package struct Part: Sendable {
        package var length: Int64
        /// The plan's hasher, which has hashed the part's bytes.
        package var hasher: ContentHasher
        /// Where the part begins in the segment.
        package var offset: Int64

        package init(length: Int64, hasher: ContentHasher, offset: Int64) {
            self.length = length
            self.hasher = hasher
            self.offset = offset
        }
    }

    /// Bytes received, including those after the last part.
    package var length: Int64
    /// The `content_hash` of all received bytes.
    package var contentHash: String
    package var parts: [Part]
    /// The file that holds the body; nil if bytes are discarded or none were received.
    package var segment: String?
    /// The bytes themselves, if the plan asks for them.
    package var bytes: [UInt8]
    /// False if the client or a fault aborted the request.
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
