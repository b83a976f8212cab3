// SPDX-License-Identifier: Apache-2.0

/// Text for people from a fleet's database. Anyone with write access may have chosen it, so it is never shown
/// unchanged.
package struct FleetText: Sendable, Hashable, CustomStringConvertible {
    /// The limit in bytes; longer text is cut off.
    package static let longest = 4096

    package let description: String

    package init(_ foreign: String, longest: Int = FleetText.longest) {
        guard foreign.utf8.count > longest else {
            description = foreign.redactedControls
            return
        }
        // A character that is cut through becomes U+FFFD.
        description = String(decoding: foreign.utf8.prefix(max(0, longest)), as: UTF8.self).redactedControls + "…"
    }

    /// Whether the text may be the name of a member, a queue or a set of rules.
    package static func isName(_ text: String) -> Bool {
        guard (1...63).contains(text.utf8.count), let first = text.utf8.first, isWordByte(first) else { return false }
        return text.utf8.allSatisfy {
            isWordByte($0) || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")].contains($0)
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):  // checked: constants
            true
        default: false
        }
    }
}
