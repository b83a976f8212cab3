// SPDX-License-Identifier: Apache-2.0

/// Removes sent secrets from a server's texts, because a server may repeat the request.
///
/// It finds any part of a secret of at least eight bytes, a shorter secret as a whole, and all its encodings:
/// percent-encoded, with escapes of JSON or HTML, as hexadecimal digits or Base64 at any offset, and one of these
/// within another. Letter case does not matter. The time grows only with the length of the text.
package struct SecretRedactor: Sendable {
    /// The most bytes of secrets to look for. If there are more, all of a server's text is hidden.
    package static let mostBytes = 131_072
    /// Shorter texts are not secrets in themselves: from two bytes on, they are removed if they stand alone.
    package static let shortest = 4
    /// A part of a secret of this length is removed.
    package static let part = 8

    /// The parts of secrets by their length, up to `part`: up to eight bytes in a number.
    private var parts = Array(repeating: WindowSet(), count: part + 1)
    /// Beginnings of secrets by their length, for the end of a text that was cut.
    private var beginnings = Array(repeating: WindowSet(), count: part)
    private var bytesLeft = mostBytes
    /// Whether there were too many secrets to look for.
    package private(set) var isOverwhelmed = false

    /// Looks for nothing.
    package init() {}

    package init(_ secrets: some Sequence<String>) {
        for secret in secrets { add(secret) }
    }

    /// Whether there is nothing to look for.
    package var isEmpty: Bool { !isOverwhelmed && parts.allSatisfy(\.isEmpty) }

    /// The fewest consecutive bytes that reveal an encoded secret.
    private var fewestBytes: Int { (Self.shortest...Self.part).first { !parts[$0].isEmpty } ?? Self.part }

    /// Adds a secret. A single byte is ignored.
    ///
    /// - Parameters:
    ///   - secret: its text.
    ///   - isWord: whether it counts although it is shorter than `shortest`.
    package mutating func add(_ secret: some StringProtocol, isWord: Bool = false) {
        guard !isOverwhelmed else { return }
        let bytes = secret.utf8.prefix(bytesLeft + 1).map(Self.folded)
        guard bytes.count >= (isWord ? 2 : Self.shortest) else { return }
        isOverwhelmed = bytes.count > bytesLeft
        bytesLeft = max(0, bytesLeft - bytes.count)
        var window: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            window = window << 8 | UInt64(byte)
            if index + 1 >= Self.part { parts[Self.part].insert(window) }
            if index + 1 < Self.part, index + 1 >= 3, index + 1 < bytes.count { beginnings[index + 1].insert(window) }
        }
        if bytes.count < Self.part { parts[bytes.count].insert(window) }
    }

    /// Folds letters to one case, and a plus to the space that it means in a query.
    static func folded(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        case UInt8(ascii: "+"): UInt8(ascii: " ")
        default: byte
        }
    }

    /// The text without the secrets, `(hidden)` in their place.
    ///
    /// - Parameters:
    ///   - text: a foreign text, or a sentence that may repeat some of it.
    ///   - isCut: whether its end may be the beginning of a secret.
    ///   - isOwn: whether the sentence is our own, and is kept except for the secrets, however many there are.
    /// - Returns: the text that may be shown.
    package func strike(_ text: String, isCut: Bool = false, isOwn: Bool = false) -> String {
        guard !isEmpty, !text.isEmpty else { return text }
        let bytes = Array(text.utf8)
        let struck = strike(bytes, isCut: isCut, isOwn: isOwn)
        return struck == bytes ? text : String(decoding: struck, as: UTF8.self)
    }

    /// Like `strike` of a text, for bytes that may not be text.
    package func strike(_ bytes: [UInt8], isCut: Bool = false, isOwn: Bool = false) -> [UInt8] {
        guard !isEmpty, !bytes.isEmpty else { return bytes }
        let mark = Array(HeaderField.hidden.utf8)
        if isOverwhelmed, !isOwn { return mark }
        let found = places(in: bytes, isCut: isCut)
        guard found.contains(true) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for index in bytes.indices {
            if !found[index] {
                result.append(bytes[index])
            } else if index == 0 || !found[index - 1] {
                result += mark
            }
        }
        return result
    }

    /// Which bytes belong to a secret.
    private func places(in bytes: [UInt8], isCut: Bool) -> [Bool] {
        var found = Array(repeating: false, count: bytes.count)
        var plain = DecodedText(bytes)
        // Nested escapes, as in JSON inside a query.
        for _ in 0..<3 {
            look(in: plain, &found, isText: true, isCut: isCut)
            lookBehind(plain, &found, isCut: isCut, depth: 2)
            guard let next = plain.unescaped() else { break }
            plain = next
        }
        return found
    }

    /// Searches decoded Base64 and hexadecimal digits.
    private func lookBehind(_ text: DecodedText, _ found: inout [Bool], isCut: Bool, depth: Int) {
        guard depth > 0 else { return }
        let bytes = isCut ? Self.shortest : fewestBytes
        for decoded in text.fromBase64(ofAtLeast: bytes) + text.fromHexadecimal(ofAtLeast: bytes) {
            look(in: decoded, &found, isText: false, isCut: isCut)
            if let plain = decoded.unescaped() { look(in: plain, &found, isText: false, isCut: isCut) }
            lookBehind(decoded, &found, isCut: isCut, depth: depth - 1)
        }
    }

    private func look(in text: DecodedText, _ found: inout [Bool], isText: Bool, isCut: Bool) {
        let shortest = isText ? 2 : Self.shortest
        let lengths = (shortest...Self.part).filter { !parts[$0].isEmpty }
        var window: UInt64 = 0
        var covered = 0
        for end in text.bytes.indices {
            window = window << 8 | UInt64(Self.folded(text.bytes[end]))
            for length in lengths where end + 1 >= length {
                let start = end + 1 - length
                guard parts[length].contains(window & Self.mask(length)),
                    length >= Self.shortest || text.standsAlone(start, end)
                else { continue }
                // In long runs of such parts, no byte is marked more than twice.
                text.mark(max(start, covered - 1)...end, &found)
                if length == Self.part { covered = end + 1 }
            }
        }
        guard isCut else { return }
        for length in (3..<Self.part).reversed() where text.bytes.count >= length {
            guard text.reachesEnd, beginnings[length].contains(window & Self.mask(length)) else { continue }
            text.mark(text.bytes.count - length...text.bytes.count - 1, &found)
            return
        }
    }

    private static func mask(_ length: Int) -> UInt64 { length >= 8 ? .max : (1 << UInt64(8 * length)) - 1 }
}
