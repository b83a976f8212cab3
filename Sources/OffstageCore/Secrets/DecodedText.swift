// SPDX-License-Identifier: Apache-2.0

/// A text decoded in some way, and the origin of each decoded byte.
struct DecodedText {
    private(set) var bytes: [UInt8] = []
    /// For each decoded byte, the first byte of the text that it comes from; finally, the byte after the last one.
    private var starts: [Int32] = []
    private var ends: [Int32] = []
    /// Whether no text follows the last decoded byte.
    private(set) var reachesEnd = true

    /// A text without any decoding.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        starts = (0..<bytes.count).map { Int32(clamping: $0) }
        ends = (0..<bytes.count).map { Int32(clamping: $0 + 1) }
    }

    private init(capacity: Int) {
        bytes.reserveCapacity(capacity)
        starts.reserveCapacity(capacity)
        ends.reserveCapacity(capacity)
    }

    /// Marks where bytes come from, including the bytes skipped between them.
    func mark(_ range: ClosedRange<Int>, _ found: inout [Bool]) {
        for place in Int(starts[range.lowerBound])..<Int(ends[range.upperBound]) { found[place] = true }
    }

    /// Whether no letter or digit is adjacent to these bytes.
    func standsAlone(_ start: Int, _ end: Int) -> Bool {
        !(start > 0 && Self.isWord(bytes[start - 1])) && !(end + 1 < bytes.count && Self.isWord(bytes[end + 1]))
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 128...:
            true
        default: false
        }
    }

    private mutating func append(_ byte: UInt8, from text: DecodedText, _ first: Int, _ last: Int) {
        bytes.append(byte)
        starts.append(text.starts[first])
        ends.append(text.ends[last])
    }

    // MARK: - Escapes

    /// The text without `%41`, `\u0041`, `\x41`, `\/`, `&#65;`, `&amp;` and without NUL, which UTF-16 has between
    /// letters; nil if there is none of these.
    func unescaped() -> DecodedText? {
        guard bytes.contains(where: { $0 == 0 || $0 == 0x25 || $0 == 0x5C || $0 == 0x26 }) else { return nil }
        var result = DecodedText(capacity: bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == 0 {
                index += 1
            } else if let escape = TextEscape(at: index, in: bytes) {
                for byte in escape.meaning { result.append(byte, from: self, index, index + escape.length - 1) }
                index += escape.length
            } else {
                result.append(bytes[index], from: self, index, index)
                index += 1
            }
        }
        result.reachesEnd = reachesEnd
        return result.bytes.count < bytes.count ? result : nil
    }

    /// Part of a URL, without escapes.
    static func plain(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return String(decoding: DecodedText(bytes).unescaped()?.bytes ?? bytes, as: UTF8.self)
    }

    // MARK: - Digits

    /// The longest runs of Base64, decoded from each of the four positions at which a group can begin. Runs of fewer
    /// bytes than are of interest are left out.
    func fromBase64(ofAtLeast bytes: Int) -> [DecodedText] {
        rows(Self.sextets, bits: 6, shortest: (bytes * 8 + 5) / 6, begins: 4)
    }

    /// Runs of hexadecimal digits, decoded from each of the two positions. Runs of fewer bytes than are of interest are
    /// left out.
    func fromHexadecimal(ofAtLeast bytes: Int) -> [DecodedText] {
        rows(Self.nibbles, bits: 4, shortest: bytes * 2, begins: 2)
    }

    /// Decodes each run of digits separately. A NUL between two runs prevents matches across them.
    private func rows(_ values: [UInt8?], bits: UInt32, shortest: Int, begins: Int) -> [DecodedText] {
        var rows: [(digits: Range<Int>, isLast: Bool)] = []
        // The digits: the position and value of each.
        var places: [Int] = []
        var digits: [UInt8] = []
        var first = 0
        for (index, byte) in bytes.enumerated() {
            if let digit = values[Int(byte)] {
                places.append(index)
                digits.append(digit)
            } else if byte != 13, byte != 10 {
                if places.count - first >= shortest { rows.append((first..<places.count, false)) }
                first = places.count
            }
        }
        if places.count - first >= shortest { rows.append((first..<places.count, true)) }
        guard !rows.isEmpty else { return [] }
        return (0..<begins).map { begin in
            var result = DecodedText(capacity: places.count)
            for row in rows {
                var (value, held): (UInt32, UInt32) = (0, 0)
                var previous = row.digits.lowerBound + begin
                for number in row.digits.dropFirst(begin) {
                    value = (value << bits | UInt32(digits[number])) & 0xFFFF
                    held += bits
                    guard held >= 8 else { continue }
                    held -= 8
                    result.append(
                        UInt8(truncatingIfNeeded: value >> held),
                        from: self,
                        places[previous],
                        places[number]
                    )
                    previous = held == 0 ? number + 1 : number
                }
                if !row.isLast { result.append(0, from: self, places[previous - 1], places[previous - 1]) }
            }
            result.reachesEnd = reachesEnd && rows.last?.isLast == true
            return result
        }
    }

    /// A table by byte, since every byte of a text is looked up.
    private static let sextets = (0...UInt8.max).map(sextet)
    private static let nibbles = (0...UInt8.max).map(nibble)

    private static func sextet(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte + 4
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }

    static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 48
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 87
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 55
        default: nil
        }
    }
}
