// SPDX-License-Identifier: Apache-2.0

/// One frame on the socket between a client and the daemon.
///
/// Layout, integers big-endian: length of the following bytes (4), kind (1), exchange (4), length of the name (1), the
/// name, then a JSON payload. A frame is at most `maximumLength` bytes long, so an endless one is detected by its
/// header.
package struct WireFrame: Sendable, Equatable {
    package enum Kind: UInt8, Sendable {
        case request = 1
        case reply = 2
        case failure = 3
        case event = 4
    }

    package var kind: Kind
    /// Chosen by the client; a reply has its request's number. 0 in events.
    package var exchange: UInt32
    /// The request's or event's name; empty in replies.
    package var name: String
    package var payload: [UInt8]

    /// The greatest length of a frame after its length field, in bytes.
    package static let maximumLength = 4 << 20

    package init(kind: Kind, exchange: UInt32, name: String = "", payload: [UInt8]) {
        self.kind = kind
        self.exchange = exchange
        self.name = name
        self.payload = payload
    }

    /// The frame's bytes.
    package func encoded() -> [UInt8] {
        let nameBytes = Array(name.utf8.prefix(255))
        let length = UInt32(6 + nameBytes.count + payload.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(length) + 4)
        bytes.appendBigEndian(length)
        bytes.append(kind.rawValue)
        bytes.appendBigEndian(exchange)
        bytes.append(UInt8(nameBytes.count))
        bytes += nameBytes
        bytes += payload
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func appendBigEndian(_ value: UInt32) {
        append(UInt8(truncatingIfNeeded: value >> 24))
        append(UInt8(truncatingIfNeeded: value >> 16))
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }
}
