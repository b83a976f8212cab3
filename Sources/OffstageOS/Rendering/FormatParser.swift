// SPDX-License-Identifier: Apache-2.0

/// Parses a format string, from its beginning to its end.
struct FormatParser {
    private let scalars: [Unicode.Scalar]
    private var place = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func parts() -> [FormatString.Part] {
        var parts: [FormatString.Part] = []
        var text = String.UnicodeScalarView()
        func close() {
            if !text.isEmpty { parts.append(.text(String(text))) }
            text = String.UnicodeScalarView()
        }
        while let scalar = next() {
            guard scalar == "%" else {
                text.append(scalar)
                continue
            }
            let start = place
            switch placeholder() {
            case .percent: text.append("%")
            case .part(let part):
                close()
                parts.append(part)
            case .none:
                // Not a placeholder: the percent sign is literal, and the remainder is parsed as text.
                place = start
                text.append("%")
            }
        }
        close()
        return parts
    }

    private enum Found { case percent, part(FormatString.Part) }

    private mutating func placeholder() -> Found? {
        if consume("%") { return .percent }
        var found = FormatString.Placeholder()
        if consume("{") {
            guard let words = untilBrace() else { return nil }
            found.parse(words)
        }
        while let flag = peek(), found.format.apply(flag) { place += 1 }
        if consume("*") { found.takesWidth = true } else { found.format.width = number() ?? 0 }
        if consume(".") {
            if consume("*") { found.takesPrecision = true } else { found.format.precision = number() ?? 0 }
        }
        while let scalar = peek(), "hlqLzjt".unicodeScalars.contains(scalar) { place += 1 }
        guard let conversion = next(), Self.conversions.contains(conversion) else { return nil }
        if conversion == "m" { return .part(.errorNumber) }
        found.conversion = conversion
        return .part(.value(found))
    }

    private static let conversions = Set("@sSdDiuUoOxXcCpPaAeEfFgGm".unicodeScalars)

    private func peek() -> Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

    private mutating func next() -> Unicode.Scalar? {
        guard let scalar = peek() else { return nil }
        place += 1
        return scalar
    }

    private mutating func consume(_ wanted: Unicode.Scalar) -> Bool {
        guard peek() == wanted else { return false }
        place += 1
        return true
    }

    private mutating func untilBrace() -> String? {
        guard let end = scalars[place...].firstIndex(of: "}") else { return nil }
        var words = String.UnicodeScalarView()
        words.append(contentsOf: scalars[place..<end])
        place = end + 1
        return String(words)
    }

    /// Parses digits; a number above the maximum is clamped to it.
    private mutating func number() -> Int? {
        var result: Int?
        while let scalar = peek(), ("0"..."9").contains(scalar) {
            place += 1
            result = min((result ?? 0) * 10 + Int(scalar.value - 48), NumberFormat.most)
        }
        return result
    }
}

extension FormatString.Placeholder {
    /// Parses the text between the braces: `public`, `private, mask.hash`, `public,time_t`. Unknown words are ignored;
    /// of two privacy options, the more private one applies.
    fileprivate mutating func parse(_ words: String) {
        var options: Set<String> = []
        for word in words.split(whereSeparator: { $0 == "," || $0 == " " }) {
            let word = String(word)
            options.insert(word)
            if let meaning = ValueMeaning(annotation: word) { self.meaning = meaning }
        }
        let mask: OSLogPrivacy.Mask = options.contains { $0.hasPrefix("mask.") } ? .hash : .none
        if options.contains("sensitive") {
            privacy = .sensitive(mask: mask)
        } else if options.contains("private") {
            privacy = .private(mask: mask)
        } else if mask == .hash {
            privacy = .auto(mask: .hash)
        } else if options.contains("public") {
            privacy = .public
        }
    }
}
