// SPDX-License-Identifier: Apache-2.0
import OffstageWork
import Testing

@Suite struct `Messages of D-Bus` {
    private static let call = BusMessage(
        serial: 7,
        destination: "org.example.Service",
        path: "/org/example",
        interface: "org.example",
        member: "Get",
        arguments: ["first", ""]
    )

    /// A big-endian reply to call 4 that holds a variant with the number 3, encoded by hand.
    private static let bigEndianReply: [UInt8] =
        Array("B".utf8) + [2, 1, 1, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0, 15]
        + [5, 1] + Array("u".utf8) + [0, 0, 0, 0, 4, 8, 1] + Array("g".utf8) + [0, 1] + Array("v".utf8) + [0, 0]
        + [1] + Array("u".utf8) + [0, 0, 0, 0, 0, 3]

    @Test func `a call reads as it was written`() throws {
        let bytes = Self.call.encoded
        guard case .message(let message, let length) = BusMessage.parseFirst(from: bytes) else {
            Issue.record("no message")
            return
        }
        #expect(message == Self.call)
        #expect(length == bytes.count)
        #expect(message?.signature == "ss")
    }

    @Test func `a message that has not arrived whole is waited for`() {
        let bytes = Self.call.encoded
        for count in bytes.indices { #expect(BusMessage.parseFirst(from: Array(bytes[..<count])) == .incomplete) }
        guard case .message(_, let length) = BusMessage.parseFirst(from: bytes + bytes) else {
            Issue.record("no message")
            return
        }
        #expect(length == bytes.count)
    }

    @Test func `numbers may be either way round`() {
        guard case .message(let message?, let length) = BusMessage.parseFirst(from: Self.bigEndianReply) else {
            Issue.record("no message")
            return
        }
        #expect(length == Self.bigEndianReply.count)
        #expect(message.kind == .reply)
        #expect(message.replySerial == 4)
        #expect(message.variantNumber == 3)
    }

    @Test func `a body of another type holds no number`() {
        #expect(Self.call.variantNumber == nil)
        var message = BusMessage(kind: .reply, serial: 1)
        message.signature = "v"
        #expect(message.variantNumber == nil)
        message.body = [1, UInt8(ascii: "s"), 0, 0, 0, 0, 0, 0, 0]
        #expect(message.variantNumber == nil)
    }

    @Test func `what is no message, or too long, is broken`() {
        #expect(BusMessage.parseFirst(from: Array("REJECTED EXTERNAL\r\n".utf8)) == .broken)
        var bytes = Self.call.encoded
        bytes.replaceSubrange(4..<8, with: [255, 255, 255, 255])
        #expect(BusMessage.parseFirst(from: bytes) == .broken)
        bytes = Self.call.encoded
        bytes.replaceSubrange(12..<16, with: [255, 255, 255, 127])
        #expect(BusMessage.parseFirst(from: bytes) == .broken)
    }

    @Test func `no bytes make it fail`() {
        var generator = SystemRandomNumberGenerator()
        let whole = Self.bigEndianReply
        for _ in 0..<20_000 {
            var bytes = Bool.random(using: &generator) ? whole : Self.call.encoded
            for _ in 0..<3 {
                bytes[Int.random(in: 1..<bytes.count, using: &generator)] = .random(in: 0 ... .max, using: &generator)
            }
            if case .message(let message?, let length) = BusMessage.parseFirst(from: bytes) {
                #expect(length <= bytes.count)
                _ = message.variantNumber
            }
        }
    }
}
