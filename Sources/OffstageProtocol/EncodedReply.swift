// SPDX-License-Identifier: Apache-2.0

/// A reply as sent over the wire.
package struct EncodedReply<Reply: Codable & Sendable>: Sendable {
    package let payload: [UInt8]

    package init(_ reply: Reply) throws { payload = try WireCoding.encode(reply) }

    /// A reply with its own layout.
    package init(payload: [UInt8]) { self.payload = payload }
}
