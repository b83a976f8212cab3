// SPDX-License-Identifier: Apache-2.0

/// Converts a terminal's input to keys. Special keys are byte sequences that begin with ESC (ECMA-48, section 5.4, as
/// in xterm and similar terminals).
package struct KeyReader: Sendable {
    /// An incomplete sequence.
    private var pending: [UInt8] = []
    /// The longest sequence of a key, in bytes.
    private static let longest = 16

    package init() {}

    /// Parses the bytes of one read. An ESC with nothing after it is the key of that name.
    package mutating func parse(_ bytes: [UInt8]) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            switch pending.count {
            case 0: if byte == Self.escape { pending = [byte] } else { keys.append(.character(byte)) }
            case 1: parseSecond(byte, &keys)
            default:
                pending.append(byte)
                // Digits and separators continue the sequence; a letter or ~ ends it.
                let isOver = pending[1] == UInt8(ascii: "O") || !(0x20...0x3F).contains(byte)
                if isOver { if let key = Self.key(pending) { keys.append(key) } }
                if isOver || pending.count >= Self.longest { pending = [] }
            }
        }
        if pending == [Self.escape] {
            pending = []
            keys.append(.character(Self.escape))
        }
        return keys
    }

    private mutating func parseSecond(_ byte: UInt8, _ keys: inout [Key]) {
        if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") {
            pending.append(byte)
            return
        }
        keys.append(.character(Self.escape))
        if byte == Self.escape { return }
        pending = []
        keys.append(.character(byte))
    }

    private static let escape: UInt8 = 27

    /// The key of a sequence; nil for a key without a meaning here. The bytes in between are modifiers such as Shift.
    private static func key(_ sequence: [UInt8]) -> Key? {
        switch sequence.last {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "~"):
            switch String(decoding: sequence.dropFirst(2).prefix { (48...57).contains($0) }, as: UTF8.self) {
            case "1", "7": return .home
            case "4", "8": return .end
            case "5": return .pageUp
            case "6": return .pageDown
            default: return nil
            }
        default: return nil
        }
    }
}
