// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The command's JSON output: keys in order, dates in ISO 8601 with milliseconds (docs/json.md).
package enum JSONText {
    package static func of(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(date))
        }
        return String(decoding: try encoder.encode(value), as: UTF8.self).escapingUnfit
    }
}

extension String {
    /// Equivalent JSON, with `\u` for characters that are unfit for terminals, which occur only in strings.
    fileprivate var escapingUnfit: String {
        guard utf8.contains(where: { $0 >= 127 }) else { return self }
        var result = String.UnicodeScalarView()
        var marks = 0
        for scalar in unicodeScalars {
            marks = scalar.isPiledMark ? marks + 1 : 0
            if scalar.isUnfitForTerminals && scalar != "\n" || marks > Self.mostMarks {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    let text = "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                    result.append(contentsOf: text.unicodeScalars)
                }
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
