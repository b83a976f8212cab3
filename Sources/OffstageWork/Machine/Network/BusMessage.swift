// SPDX-License-Identifier: Apache-2.0

/// The subset of D-Bus messages needed to call methods with text arguments, and to recognize the answers.
package struct BusMessage: Sendable, Hashable {
    package enum Kind: UInt8, Sendable {
        case call = 1
        case reply, error, signal
    }

    package var kind: Kind
    package var serial: UInt32
    /// The call that a reply or an error answers.
    package var replySerial: UInt32?
    package var path = ""
    package var interface = ""
    package var member = ""
    package var destination = ""
    /// The types of the body's values.
    package var signature = ""
    package var body: [UInt8] = []

    package init(kind: Kind, serial: UInt32) {
        self.kind = kind
        self.serial = serial
    }

    /// A call with text arguments, which does not start a service.
    package init(
        serial: UInt32,
        destination: String,
        path: String,
        interface: String,
        member: String,
        arguments: [String] = []
    ) {
        self.init(kind: .call, serial: serial)
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        signature = String(repeating: "s", count: arguments.count)
        var writer = Writer()
        for argument in arguments { writer.put(text: argument) }
        body = writer.bytes
    }

    /// The header fields in use, by their numbers.
    private enum Field: UInt8 {
        case path = 1
        case interface = 2
        case member = 3
        case replySerial = 5
        case destination = 6
        case signature = 8
    }

    /// The longest message that is read, in bytes: far longer than any expected one.
    package static let most = 1 << 20
    private static let littleEndian = UInt8(ascii: "l")
    private static let bigEndian = UInt8(ascii: "B")
    private static let noAutoStart: UInt8 = 2

    // MARK: Writing

    package var encoded: [UInt8] {
        var fields = Writer()
        func put(_ field: Field, _ type: String, _ value: (inout Writer) -> Void) {
            fields.align(8)
            fields.bytes.append(field.rawValue)
            fields.put(signature: type)
            value(&fields)
        }
        if !path.isEmpty { put(.path, "o") { $0.put(text: path) } }
        if !interface.isEmpty { put(.interface, "s") { $0.put(text: interface) } }
        if !member.isEmpty { put(.member, "s") { $0.put(text: member) } }
        if let replySerial { put(.replySerial, "u") { $0.put(replySerial) } }
        if !destination.isEmpty { put(.destination, "s") { $0.put(text: destination) } }
        if !signature.isEmpty { put(.signature, "g") { $0.put(signature: signature) } }
        var message = Writer()
        message.bytes = [Self.littleEndian, kind.rawValue, Self.noAutoStart, 1]
        message.put(UInt32(body.count))
        message.put(serial)
        message.put(UInt32(fields.bytes.count))
        // Sixteen bytes precede the fields, so that they stay aligned.
        message.bytes += fields.bytes
        message.align(8)
        return message.bytes + body
    }

    private struct Writer {
        var bytes: [UInt8] = []

        mutating func align(_ size: Int) {
            while bytes.count % size != 0 { bytes.append(0) }
        }

        mutating func put(_ number: UInt32) {
            align(4)
            withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        }

        mutating func put(text: String) {
            put(UInt32(text.utf8.count))
            bytes += text.utf8
            bytes.append(0)
        }

        mutating func put(signature: String) {
            bytes.append(UInt8(truncatingIfNeeded: signature.utf8.count))
            bytes += signature.utf8
            bytes.append(0)
        }
    }

    // MARK: Reading

    package enum Taken: Sendable, Hashable {
        /// More bytes must arrive first.
        case incomplete
        /// A decoded message and its length; nil for an irrelevant one.
        case message(BusMessage?, length: Int)
        /// The bytes are not D-Bus, or too long.
        case broken
    }

    /// Parses the first message of the received bytes.
    package static func parseFirst(from bytes: [UInt8]) -> Taken {
        guard bytes.count >= 16 else { return .incomplete }
        guard bytes[0] == littleEndian || bytes[0] == bigEndian, bytes[3] == 1 else { return .broken }
        var reader = Reader(bytes: bytes, isSwapped: bytes[0] == bigEndian, position: 4)
        guard let bodyLength = reader.number(), let serial = reader.number(), let fieldsLength = reader.number(),
            bodyLength <= most, fieldsLength <= most
        else { return .broken }
        let fieldsEnd = 16 + Int(fieldsLength)
        let bodyStart = (fieldsEnd + 7) / 8 * 8
        let length = bodyStart + Int(bodyLength)
        guard bytes.count >= length else { return .incomplete }
        guard let kind = Kind(rawValue: bytes[1]) else { return .message(nil, length: length) }
        var message = BusMessage(kind: kind, serial: serial)
        while reader.position < fieldsEnd {
            guard message.parseField(&reader) else { return .message(nil, length: length) }
        }
        message.body = Array(bytes[bodyStart..<length])
        message.isBodySwapped = reader.isSwapped
        return .message(message, length: length)
    }

    /// - Returns: whether the field was decoded; the reader is positioned after it.
    private mutating func parseField(_ reader: inout Reader) -> Bool {
        reader.align(8)
        guard let code = reader.byte(), let type = reader.signature() else { return false }
        let field = Field(rawValue: code)
        switch type {
        case "u":
            guard let number = reader.number() else { return false }
            if field == .replySerial { replySerial = number }
        case "g":
            guard let text = reader.signature() else { return false }
            if field == .signature { signature = text }
        case "s", "o":
            guard let text = reader.text() else { return false }
            switch field {
            case .path: path = text
            case .interface: interface = text
            case .member: member = text
            case .destination: destination = text
            default: break
            }
        default: return false
        }
        return true
    }

    /// The number in a body that consists of one variant of that type; nil for any other body.
    package var variantNumber: UInt32? {
        guard signature == "v" else { return nil }
        var reader = Reader(bytes: body, isSwapped: isBodySwapped)
        guard reader.signature() == "u" else { return nil }
        return reader.number()
    }

    /// Whether the body's numbers are big-endian, which is the sender's choice.
    private var isBodySwapped = false

    private struct Reader {
        let bytes: [UInt8]
        let isSwapped: Bool
        var position = 0

        mutating func align(_ size: Int) { position = (position + size - 1) / size * size }

        mutating func byte() -> UInt8? {
            guard position < bytes.count else { return nil }
            defer { position += 1 }
            return bytes[position]
        }

        mutating func number() -> UInt32? {
            align(4)
            guard position + 4 <= bytes.count else { return nil }
            defer { position += 4 }
            let number = bytes[position..<position + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return isSwapped ? number.byteSwapped : number
        }

        mutating func text() -> String? {
            guard let count = number(), count <= BusMessage.most else { return nil }
            return characters(Int(count))
        }

        mutating func signature() -> String? { byte().flatMap { characters(Int($0)) } }

        private mutating func characters(_ count: Int) -> String? {
            guard position + count < bytes.count else { return nil }
            defer { position += count + 1 }
            return String(decoding: bytes[position..<position + count], as: UTF8.self)
        }
    }
}
