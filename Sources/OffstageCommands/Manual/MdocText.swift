// SPDX-License-Identifier: Apache-2.0

/// Converts our texts to mdoc, the language of manual pages.
package enum MdocText {
    /// The longest line of text that `mandoc -Tlint` accepts is 80 bytes.
    private static let width = 78

    /// A paragraph: one or more lines for each sentence, as mdoc requires.
    ///
    /// - Parameters:
    ///   - text: prose, with `code` and links in Markdown.
    ///   - arguments: placeholders for arguments, which are set in italics.
    ///   - boldsOptions: whether words that begin with `-` are set in bold.
    /// - Returns: the lines.
    package static func prose(
        _ text: String,
        arguments: Set<String> = [],
        boldsOptions: Bool = false
    ) -> [String] {
        var lines: [String] = []
        var line = ""
        func close() {
            // A line that begins with one of these would be a request.
            if !line.isEmpty { lines.append(line.first.map { ".'".contains($0) } == true ? "\\&" + line : line) }
            line = ""
        }
        for word in words(of: withoutLinks(text)) {
            let written = word.parts.map { part in
                part.isCode
                    ? "\\fB\(escaped(part.text, isLiteral: true))\\fP"
                    : styled(part.text, arguments: arguments, boldsOptions: boldsOptions)
            }.joined()
            if !line.isEmpty, line.utf8.count + 1 + written.utf8.count > width { close() }
            line += (line.isEmpty ? "" : " ") + written
            if word.endsSentence { close() }
        }
        close()
        return lines
    }

    /// A line that is shown unchanged, such as a command.
    package static func literal(_ line: String) -> String {
        let text = escaped(line, isLiteral: true)
        return text.hasPrefix(".") ? "\\&" + text : text
    }

    /// A line with a macro and its arguments.
    ///
    /// - Parameters:
    ///   - name: the macro, such as `It`.
    ///   - arguments: plain texts, which are never macros or delimiters.
    /// - Returns: the line.
    package static func macro(_ name: String, _ arguments: String...) -> String {
        ([".\(name)"] + arguments.map(argument)).joined(separator: " ")
    }

    /// A plain text as the argument of a macro.
    package static func argument(_ text: String) -> String {
        let escaped = text.split(separator: "\"", omittingEmptySubsequences: false)
            .map { self.escaped(String($0), isLiteral: true, hyphens: false) }.joined(separator: "\\(dq")
        // A word such as No would be a macro of that name, and a full stop a delimiter.
        let isMacro = text.count == 2 && text.first?.isUppercase == true && text.last?.isLowercase == true
        let isDelimiter = text.count == 1 && text.first.map { ".,:;()[]?!|".contains($0) } == true
        let protected = isMacro || isDelimiter ? "\\&" + escaped : escaped
        return text.isEmpty || text.contains(" ") ? "\"\(protected)\"" : protected
    }

    /// The text between two spaces, in which code and other text may be adjacent.
    private struct Word {
        var parts: [(text: String, isCode: Bool)] = []

        var endsSentence: Bool {
            var end = Substring(parts.last?.text ?? "")
            while let last = end.last, ")'\"".contains(last) { end = end.dropLast() }
            // A full stop alone ends a sentence only after code.
            let isMore = end.count > 1 || parts.count > 1
            return parts.last?.isCode == false && isMore && end.last.map { ".?!".contains($0) } == true
        }

        mutating func append(_ character: Character, isCode: Bool) {
            if let last = parts.indices.last, parts[last].isCode == isCode {
                parts[last].text.append(character)
            } else {
                parts.append((String(character), isCode))
            }
        }
    }

    /// Splits a text into words. Code is never split, even at spaces.
    private static func words(of text: String) -> [Word] {
        var words: [Word] = []
        var word = Word()
        var isCode = false
        for character in text {
            switch character {
            case "`": isCode.toggle()
            case " " where !isCode, "\n":
                if !word.parts.isEmpty { words.append(word) }
                word = Word()
            default: word.append(character, isCode: isCode)
            }
        }
        if !word.parts.isEmpty { words.append(word) }
        return words
    }

    /// The text of links without their targets, which a manual page does not have.
    private static func withoutLinks(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "[") {
            let inside = rest[rest.index(after: open)...]
            guard let close = inside.firstIndex(of: "]"), inside[close...].hasPrefix("]("),
                let end = inside[close...].firstIndex(of: ")")
            else {
                result += rest[...open]
                rest = inside
                continue
            }
            result += rest[..<open]
            result += inside[..<close]
            rest = inside[inside.index(after: end)...]
        }
        return result + rest
    }

    private static func styled(_ text: String, arguments: Set<String>, boldsOptions: Bool) -> String {
        let bare = text.drop { "[('\"".contains($0) }
        if boldsOptions, bare.first == "-" {
            let opening = text.prefix(text.count - bare.count)
            let option = bare.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            let rest = String(bare.dropFirst(option.count))
            return escaped(String(opening)) + "\\fB\(escaped(String(option), isLiteral: true))\\fP"
                + styled(rest, arguments: arguments, boldsOptions: false)
        }
        // An option may be copied into a shell, which accepts only the real character.
        let isLiteral = bare.first == "-" || text.contains("--")
        var result = ""
        var rest = text[...]
        while let first = rest.first {
            let run = rest.prefix { $0.isASCII && ($0.isUppercase || $0.isNumber || $0 == "_") }
            guard run.isEmpty || !arguments.contains(String(run)) else {
                result += "\\fI\(run)\\fP"
                rest = rest.dropFirst(run.count)
                continue
            }
            let next = run.isEmpty ? String(first) : String(run)
            result += next == "'" && isInside(rest, of: text) ? "'" : escaped(next, isLiteral: isLiteral)
            rest = rest.dropFirst(next.count)
        }
        return result
    }

    /// Whether the first character of `rest` is between two letters, and thus an apostrophe.
    private static func isInside(_ rest: Substring, of text: String) -> Bool {
        let before = text[..<rest.startIndex].last, after = rest.dropFirst().first
        return before?.isLetter == true && after?.isLetter == true
    }

    private static func escaped(_ text: String, isLiteral: Bool = false, hyphens: Bool = true) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-" where isLiteral && hyphens: result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            // As in other manual pages, since a terminal without Unicode has no such character.
            case "…": result += "..."
            case "–": result += "\\(en"
            default:
                for scalar in character.unicodeScalars {
                    result += scalar.isASCII ? String(scalar) : "\\[u\(hexadecimal(scalar.value))]"
                }
            }
        }
        return result
    }

    /// At least four digits, as in roff's names of characters.
    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
