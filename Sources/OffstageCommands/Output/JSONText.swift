// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// JSON as the command prints it: keys in order, dates in ISO 8601 with milliseconds (docs/json.md).
package enum JSONText {
    package static func of(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(date))
        }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
