// SPDX-License-Identifier: Apache-2.0

/// The tags of a property list in XML, one after the other. Only the tags of property lists are allowed, well nested,
/// without a custom document type, which could define entities.
struct XMLPropertyList {
    private let bytes: [UInt8]
    private var place = 0
    /// The open elements.
    private var open: [ArraySlice<UInt8>] = []
    private var values = 0

    private static let names: [[UInt8]] = [
        "plist", "dict", "array", "key", "string", "data", "date", "true", "false", "integer", "real",
    ].map { Array($0.utf8) }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    }

    mutating func isHarmless() -> Bool {
        // Text in UTF-16 or UTF-32, where a tag would not be seen, has them.
        guard !bytes.contains(0) else { return false }
        var hasBegun = false
        while let start = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
            if !hasBegun, !bytes[place..<start].allSatisfy(Self.isSpace) { return false }
            hasBegun = true
            place = start + 1
            guard consumeTag() else { return false }
        }
        return hasBegun && open.isEmpty
    }

    /// Consumes the text after a `<`; false if it is not allowed in a property list.
    private mutating func consumeTag() -> Bool {
        if skips("!--") { return skip(past: "-->") }
        if skips("![CDATA[") { return skip(past: "]]>") }
        if skips("?") {
            let start = place
            return skip(past: "?>") && declaresUTF8(bytes[start..<place])
        }
        guard let end = bytes[place...].firstIndex(of: UInt8(ascii: ">")) else { return false }
        let tag = bytes[place..<end]
        place = end + 1
        if tag.starts(with: Array("!DOCTYPE".utf8)) {
            return !tag.contains(UInt8(ascii: "[")) && !tag.contains(UInt8(ascii: "<"))
        }
        return consume(tag)
    }

    private mutating func consume(_ tag: ArraySlice<UInt8>) -> Bool {
        guard !tag.contains(UInt8(ascii: "<")) else { return false }
        if tag.first == UInt8(ascii: "/") {
            return open.popLast() == Self.trimmed(tag.dropFirst())
        }
        let isWhole = tag.last == UInt8(ascii: "/")
        let body = Self.trimmed(isWhole ? tag.dropLast() : tag)
        let name = body.prefix { !Self.isSpace($0) }
        // Only the outermost has attributes: a version.
        guard Self.names.contains(Array(name)), name.count == body.count || name.elementsEqual("plist".utf8) else {
            return false
        }
        values += 1
        if !isWhole { open.append(name) }
        return values <= PropertyListShape.mostValues && open.count <= PropertyListShape.deepest + 2
    }

    /// Whether an XML declaration, or another instruction, keeps the encoding that is assumed here.
    private func declaresUTF8(_ text: ArraySlice<UInt8>) -> Bool {
        let lowered = String(decoding: text, as: UTF8.self).lowercased()
        guard lowered.contains("encoding") else { return true }
        return ["utf-8", "utf8", "us-ascii"].contains { lowered.contains("\"\($0)\"") || lowered.contains("'\($0)'") }
    }

    private mutating func skips(_ text: String) -> Bool {
        guard bytes[place...].starts(with: text.utf8) else { return false }
        place += text.utf8.count
        return true
    }

    private mutating func skip(past text: String) -> Bool {
        let mark = Array(text.utf8)
        while let next = bytes[place...].firstIndex(of: mark[0]) {
            if bytes[next...].starts(with: mark) {
                place = next + mark.count
                return true
            }
            place = next + 1
        }
        return false
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let front = text.drop(while: isSpace)
        let end = front.lastIndex { !isSpace($0) }
        return end.map { front[...$0] } ?? front.prefix(0)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}
