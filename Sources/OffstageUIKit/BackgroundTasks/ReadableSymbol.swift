// SPDX-License-Identifier: Apache-2.0

/// A function's name as written by Swift's runtime, shortened for people.
///
/// `closure #1 () -> () in App.Sync.run(_: Swift.Int, named: Swift.String) -> ()` is `closure in Sync.run(_:named:)`.
package enum ReadableSymbol {
    /// The short form; unknown parts are left unchanged. Private names are written `(name in _3F…)`.
    package static func short(_ symbol: String) -> String {
        var rest = Substring(symbol.replacing(/\((\w+) in _[0-9A-F]+\)/) { $0.1 })
        var isClosure = false
        if let place = lastOutside(rest, " in ") {
            isClosure = rest.hasPrefix("closure") || rest.hasPrefix("implicit closure")
            rest = rest[place...].dropFirst(4)
        }
        for word in words where rest.hasPrefix(word) { rest = rest.dropFirst(word.count) }
        if rest.hasPrefix("(extension in "), let end = rest.firstIndex(of: ":") { rest = rest[end...].dropFirst() }
        let name = withoutModule(named(rest))
        return (isClosure ? "closure in " : "") + name
    }

    private static let words = [
        "merged ", "@objc ", "@nonobjc ", "generic specialization of ", "function signature specialization of ",
        "specialized ", "partial apply forwarder for ", "static ", "class ",
    ]

    /// The last occurrence of the text outside all brackets.
    private static func lastOutside(_ text: Substring, _ wanted: String) -> Substring.Index? {
        var depth = 0
        var found: Substring.Index?
        var index = text.startIndex
        while index < text.endIndex {
            depth += step(text, index)
            if depth == 0, text[index...].hasPrefix(wanted) { found = index }
            index = text.index(after: index)
        }
        return found
    }

    /// The name up to its parameters, and their labels.
    private static func named(_ text: Substring) -> String {
        var name = ""
        var index = text.startIndex
        while index < text.endIndex {
            let character = text[index]
            if character == "(" { return name + "(" + labels(text[text.index(after: index)...]) + ")" }
            if character == "<" {
                index = text.index(after: closing(text, from: index))
                continue
            }
            if character == " " { break }
            name.append(character)
            index = text.index(after: index)
        }
        return name
    }

    private static func labels(_ parameters: Substring) -> String {
        var labels = ""
        var label = ""
        var (depth, isInLabel, isEmpty) = (0, true, true)
        for index in parameters.indices {
            let character = parameters[index]
            if depth == 0, character == ")" { break }
            depth += step(parameters, index)
            if depth == 0, character == "," {
                labels += (isInLabel ? "_" : label) + ":"
                (label, isInLabel) = ("", true)
            } else if depth == 0, isInLabel, character == ":" {
                isInLabel = false
            } else if isInLabel, character != " " {
                label.append(character)
            }
            isEmpty = false
        }
        return isEmpty ? "" : labels + (isInLabel ? "_" : label) + ":"
    }

    /// The bracket that closes the one at an index, or the last character.
    private static func closing(_ text: Substring, from start: Substring.Index) -> Substring.Index {
        var depth = 0
        var (index, last) = (start, start)
        while index < text.endIndex {
            depth += step(text, index)
            last = index
            if depth == 0 { break }
            index = text.index(after: index)
        }
        return last
    }

    private static func step(_ text: Substring, _ index: Substring.Index) -> Int {
        switch text[index] {
        case "(", "[", "<": 1
        case ")", "]": -1
        // Excludes the arrow of a function's type.
        case ">": index > text.startIndex && text[text.index(before: index)] == "-" ? 0 : -1
        default: 0
        }
    }

    /// The name without the module, if anything remains.
    private static func withoutModule(_ name: String) -> String {
        let head = name.prefix { $0 != "(" }
        guard let dot = head.firstIndex(of: "."), head.index(after: dot) < head.endIndex else { return name }
        return String(name[name.index(after: dot)...])
    }
}
