// SPDX-License-Identifier: Apache-2.0

/// A URL in which `{a,b}`, `[1-3]`, `[001-100:10]` or `[a-c]` expands to several, as in curl.
package struct URLPattern: Sendable {
    /// Text that all URLs share, or alternatives of which each URL has one.
    private enum Part {
        case plain(String)
        case several([String])
    }

    private var parts: [Part] = []

    /// The most URLs that a pattern may expand to.
    package static let mostURLs = 100_000

    /// - Parameter text: a URL as it was typed. Brackets around anything else, such as an IPv6 address or `a[]=1`, stay
    ///   unchanged. A backslash escapes the bracket after it.
    /// - Throws: `UsageError` for an unreasonable number of URLs.
    package init(_ text: String) throws(UsageError) {
        var plain = ""
        var rest = text[...]
        var count = 1
        while let character = rest.popFirst() {
            if character == "\\", let next = rest.first, "{}[]".contains(next) {
                plain.append(next)
                rest.removeFirst()
                continue
            }
            guard let (items, behind) = try Self.items(character, rest, of: text) else {
                plain.append(character)
                continue
            }
            let product = count.multipliedReportingOverflow(by: items.count)
            count = product.partialValue
            guard !product.overflow, count <= Self.mostURLs else { throw Self.tooMany(text) }
            parts += [.plain(plain), .several(items)]
            plain = ""
            rest = behind
        }
        parts.append(.plain(plain))
    }

    /// Each URL, with its choices for the first brackets, the second, and so on. The last brackets change fastest.
    package var all: [(url: String, choices: [String])] {
        parts.reduce([("", [])]) { all, part in
            switch part {
            case .plain(let text): all.map { ($0.url + text, $0.choices) }
            case .several(let items):
                all.flatMap { one in items.map { (one.url + $0, one.choices + [$0]) } }
            }
        }
    }

    /// All URLs of a command line, and the name of each file.
    ///
    /// - Parameters:
    ///   - texts: the URLs as typed; `-` is not a URL.
    ///   - names: the names of `-o`, one for each text, in which `#1` is the choice of the first brackets; or no names.
    ///   - isOff: whether nothing is expanded.
    /// - Returns: the URLs, and as many names, or the unchanged names.
    /// - Throws: `UsageError` for a name that several files would get.
    package static func expanded(
        _ texts: [String],
        _ names: [String],
        isOff: Bool
    ) throws(UsageError) -> (urls: [String], names: [String]) {
        if isOff { return (texts, names) }
        var result: (urls: [String], names: [String]) = ([], [])
        for (index, text) in texts.enumerated() {
            let all = try URLPattern(text).all
            result.urls += all.map(\.url)
            guard names.count == texts.count else { continue }
            let made = all.map { name(names[index], $0.choices) }
            guard all.count == 1 || Set(made).count == made.count else {
                throw UsageError(
                    "'\(text.withoutUserOfURL)' stands for \(all.count) URLs, but '\(names[index])' is one file: put #1 into the name, leave out -o, or use -g to take the URL literally"
                )
            }
            result.names += made
        }
        if names.count != texts.count { result.names = names }
        return result
    }

    private static func name(_ name: String, _ choices: [String]) -> String {
        var result = ""
        var rest = name[...]
        while let character = rest.popFirst() {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard character == "#", let number = Int(digits), number > 0, number <= choices.count else {
                result.append(character)
                continue
            }
            // checked: from 1 to their count
            result += choices[number - 1]
            rest = rest.dropFirst(digits.count)
        }
        return result
    }

    /// The expansion of the brackets that begin here, and the text after them.
    private static func items(
        _ bracket: Character,
        _ rest: Substring,
        of whole: String
    ) throws(UsageError) -> ([String], Substring)? {
        switch bracket {
        case "{":
            guard let end = rest.firstIndex(of: "}"), end != rest.startIndex else { return nil }
            let items = rest[..<end].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            return (items, rest[rest.index(after: end)...])
        case "[":
            guard let end = rest.firstIndex(of: "]"), let items = try range(rest[..<end], of: whole) else { return nil }
            return (items, rest[rest.index(after: end)...])
        default: return nil
        }
    }

    /// `1-3`, `001-100`, `a-c`, each with `:STEP` or without; nil for anything else.
    private static func range(_ text: Substring, of whole: String) throws(UsageError) -> [String]? {
        let halves = text.split(separator: ":", omittingEmptySubsequences: false)
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard halves.count <= 2, ends.count == 2, let step = halves.count == 2 ? number(halves[1]) : 1, step > 0 else {
            return nil
        }
        if let first = number(ends[0]), let last = number(ends[1]), first <= last {
            // checked: both are not negative, and a step is not 0
            guard (last - first) / step < mostURLs else { throw tooMany(whole) }
            let width = ends[0].hasPrefix("0") ? ends[0].count : 0
            return stride(from: first, through: last, by: step).map { padded(String($0), width) }
        }
        guard let first = letter(ends[0]), let last = letter(ends[1]), first <= last else { return nil }
        return stride(from: Int(first), through: Int(last), by: step).compactMap { UInt8(exactly: $0) }
            .map { String(decoding: [$0], as: UTF8.self) }
    }

    private static func tooMany(_ text: String) -> UsageError {
        UsageError(
            "'\(text.withoutUserOfURL)' stands for more than \(mostURLs) URLs: give a list on standard input, or use -g to take it literally"
        )
    }

    private static func padded(_ digits: String, _ width: Int) -> String {
        String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 9, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }

    private static func letter(_ text: Substring) -> UInt8? {
        guard text.utf8.count == 1, let byte = text.utf8.first, (65...90).contains(byte) || (97...122).contains(byte)
        else { return nil }
        return byte
    }
}
