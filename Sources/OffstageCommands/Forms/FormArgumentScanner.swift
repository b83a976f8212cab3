// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Parses the text after `NAME=` of `-F`, as curl does: words, quoted if they contain `;` or `,`, and parameters. Text
/// that curl drops with a warning is refused, so exactly the given text is sent.
struct FormArgumentScanner {
    private var rest: ArraySlice<UInt8>
    private let field: String
    /// The character, other than `;`, that ends a word.
    private let separator: UInt8?

    /// - Parameters:
    ///   - bytes: the text to read.
    ///   - field: the name, for errors.
    ///   - separator: the separator of several files; nil if there is only one.
    init(_ bytes: some Sequence<UInt8>, field: String, separator: UInt8?) {
        rest = Array(bytes)[...]
        self.field = field
        self.separator = separator
    }

    /// The next word, without surrounding blanks.
    mutating func word() throws(UsageError) -> String {
        skipBlanks()
        if let quoted = consumeQuoted() {
            guard rest.prefix(while: isOfWord).allSatisfy(Self.isBlank) else {
                throw UsageError("in -F '\(field)=…' there is text after the closing quote")
            }
            rest = rest.drop(while: isOfWord)
            return quoted
        }
        return consumePlain()
    }

    /// The name of a file.
    mutating func path() throws(UsageError) -> String {
        let path = try word()
        guard !path.isEmpty else { throw UsageError("-F '\(field)=…' names no file after @ or <") }
        guard path != "-" else {
            throw UsageError(
                "standard input cannot be sent again later: write it to a file and name that for '\(field)'"
            )
        }
        return path
    }

    /// `;type=…` and `;filename=…`, as many as there are.
    mutating func parameters() throws(UsageError) -> (contentType: String?, fileName: String?) {
        var contentType: String?
        var fileName: String?
        // A type may have its own parameters, which also follow semicolons.
        var typeGoesOn = false
        while rest.first == UInt8(ascii: ";") {
            let beforeBlanks = rest
            rest = rest.dropFirst()
            skipBlanks()
            // Within a type, it is the type's parameter: multipart/related has one of this name.
            if !typeGoesOn, consume("type=") {
                skipBlanks()
                contentType = consumePlain()
                typeGoesOn = true
            } else if consume("filename=") {
                fileName = try word()
                typeGoesOn = false
            } else if starts(with: "headers=") || starts(with: "encoder=") {
                throw UsageError(
                    "in -F '\(field)=…' headers= and encoder= are not supported: put \"…\" around a value that contains ;"
                )
            } else if let type = contentType, typeGoesOn {
                // The original text, with the semicolon and the blanks after it.
                let start = String(decoding: beforeBlanks[..<rest.startIndex], as: UTF8.self)
                let parameter = consumePlain()
                if !parameter.isEmpty { contentType = type + start + parameter }
            } else {
                throw UsageError(
                    "in -F '\(field)=…' only type= and filename= may follow ;: put \"…\" around a value that contains ;"
                )
            }
        }
        return (contentType, fileName)
    }

    /// Whether another file follows.
    mutating func consumeSeparator() -> Bool {
        guard let separator, rest.first == separator else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Consumes a quoted word; nil if there is none. A quote that is never closed is an ordinary character.
    private mutating func consumeQuoted() -> String? {
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        var left = rest.dropFirst()
        var text: [UInt8] = []
        while let byte = left.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                rest = left
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\") where left.first == UInt8(ascii: "\"") || left.first == UInt8(ascii: "\\"):
                text += [left.removeFirst()]
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func consumePlain() -> String {
        let word = rest.prefix(while: isOfWord)
        rest = rest.dropFirst(word.count)
        let end = word.lastIndex { !Self.isBlank($0) }.map { $0 + 1 } ?? word.startIndex
        return String(decoding: word[..<end], as: UTF8.self)
    }

    private mutating func consume(_ prefix: String) -> Bool {
        guard starts(with: prefix) else { return false }
        rest = rest.dropFirst(prefix.utf8.count)
        return true
    }

    private func starts(with prefix: String) -> Bool {
        String(decoding: rest.prefix(prefix.utf8.count), as: UTF8.self).caseInsensitiveEquals(prefix)
    }

    private mutating func skipBlanks() { rest = rest.drop(while: Self.isBlank) }

    private func isOfWord(_ byte: UInt8) -> Bool { byte != UInt8(ascii: ";") && byte != separator }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}
