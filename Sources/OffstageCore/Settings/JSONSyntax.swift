// SPDX-License-Identifier: Apache-2.0

/// Finds the first syntax error in a JSON text (RFC 8259), because the decoder does not report its place.
struct JSONSyntax {
    private let bytes: [UInt8]
    private var position = 0
    private static let maximumDepth = JSONShape.depthLimit

    private struct Fault: Error {
        var what: String
    }

    /// The first mistake with its line and column, both counted from 1; nil if there is none.
    static func firstMistake(in bytes: [UInt8]) -> String? {
        var scanner = JSONSyntax(bytes)
        do throws(Fault) {
            try scanner.value(depth: 0)
            scanner.skipSpace()
            guard scanner.position == bytes.count else { throw Fault(what: "nothing may follow the last }") }
            return nil
        } catch {
            let before = bytes[..<scanner.position]
            let line = before.count { $0 == UInt8(ascii: "\n") } + 1
            let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            // Characters rather than bytes, as editors count.
            let column = String(decoding: before[start...], as: UTF8.self).count + 1
            return "\(error.what) in line \(line), column \(column)"
        }
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard current == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(Fault) {
        skipSpace()
        guard depth < Self.maximumDepth else { throw Fault(what: "too many brackets") }
        switch current {
        case UInt8(ascii: "{"): try object(depth: depth)
        case UInt8(ascii: "["): try array(depth: depth)
        case UInt8(ascii: "\""): try string()
        case nil: throw Fault(what: "the text ends too early")
        default: try word()
        }
    }

    private mutating func object(depth: Int) throws(Fault) {
        position += 1
        if consume("}") { return }
        repeat {
            skipSpace()
            guard current == UInt8(ascii: "\"") else { throw Fault(what: "a name in double quotes is missing") }
            try string()
            guard consume(":") else { throw Fault(what: "a colon is missing") }
            try value(depth: depth + 1)
        } while consume(",")
        guard consume("}") else { throw Fault(what: "a comma or } is missing") }
    }

    private mutating func array(depth: Int) throws(Fault) {
        position += 1
        if consume("]") { return }
        repeat { try value(depth: depth + 1) } while consume(",")
        guard consume("]") else { throw Fault(what: "a comma or ] is missing") }
    }

    private mutating func string() throws(Fault) {
        position += 1
        while let byte = current, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw Fault(what: "a quotation mark is missing") }
            position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        guard position < bytes.count else {
            position = bytes.count
            throw Fault(what: "a quotation mark is missing")
        }
        position += 1
    }

    private mutating func word() throws(Fault) {
        let start = position
        while let byte = current, byte > 0x20, !",:[]{}\"".utf8.contains(byte) { position += 1 }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        if ["true", "false", "null"].contains(word) { return }
        let isNumber = word.utf8.allSatisfy { (48...57).contains($0) || "+-.eE".utf8.contains($0) }
        guard isNumber, Double(word) != nil else {
            position = start
            throw Fault(what: "a value is missing or not in double quotes")
        }
    }
}
