// SPDX-License-Identifier: Apache-2.0

/// Labels that a member has, or that a row requires of its member: `site=seoul`. Sorted, without duplicates.
///
/// Every member has `member=NAME`, so a row can be bound to one machine.
package struct FleetLabels: Sendable, Hashable {
    /// The most labels of a member.
    package static let mostOfMember = 64
    /// The most labels that a row requires.
    package static let mostOfRow = 16

    package let texts: [String]

    /// Nil if any of them is not a label, or if there are too many.
    ///
    /// - Parameters:
    ///   - texts: the labels, as written by a person or the database.
    ///   - most: the maximum number of labels.
    package init?(_ texts: [String], most: Int) {
        guard texts.count <= most, texts.allSatisfy(Self.isLabel) else { return nil }
        self.texts = Set(texts).sorted()
    }

    package static let none = FleetLabels(sorted: [])

    private init(sorted: [String]) { texts = sorted }

    /// Whether a text is a name, an equals sign and a value that also follows the rules for names.
    package static func isLabel(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { FleetText.isName(String(decoding: $0, as: UTF8.self)) }
    }

    /// The required labels that a member lacks; empty if the row may go to it.
    package func lacking(in member: FleetLabels) -> [String] {
        let has = Set(member.texts)
        return texts.filter { !has.contains($0) }
    }

    /// Reads a PostgreSQL array of labels: `{site=seoul,disk=fast}`. Nil for anything else.
    package init?(array: String?, most: Int) {
        guard let array, array.utf8.count <= most * 130 + 2, array.hasPrefix("{"), array.hasSuffix("}"),
            array.utf8.count >= 2
        else { return nil }
        let inner = array.utf8.dropFirst().dropLast()
        let texts = inner.isEmpty ? [] : inner.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        self.init(texts.map { String(decoding: $0, as: UTF8.self) }, most: most)
    }

    /// The labels as a PostgreSQL array. They need no quotes there.
    package var array: String { "{" + texts.joined(separator: ",") + "}" }
}
