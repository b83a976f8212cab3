// SPDX-License-Identifier: Apache-2.0

/// Labels that a member has, or that a row wants of its member: `site=seoul`. Sorted, and each once.
///
/// Every member has `member=NAME`, so that a row can be bound to one machine.
package struct FleetLabels: Sendable, Hashable {
    /// The most that a member has.
    package static let mostOfMember = 64
    /// The most that a row wants.
    package static let mostOfRow = 16

    package let texts: [String]

    /// Nil if one of them is no label, or if there are too many.
    ///
    /// - Parameters:
    ///   - texts: as a person or the database writes them.
    ///   - most: how many there may be.
    package init?(_ texts: [String], most: Int) {
        guard texts.count <= most, texts.allSatisfy(Self.isLabel) else { return nil }
        self.texts = Set(texts).sorted()
    }

    package static let none = FleetLabels(sorted: [])

    private init(sorted: [String]) { texts = sorted }

    /// A name, an equals sign and a value, each as names are.
    package static func isLabel(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { FleetText.isName(String(decoding: $0, as: UTF8.self)) }
    }

    /// The labels wanted that a member lacks; empty if the row may go to it.
    package func lacking(in member: FleetLabels) -> [String] {
        let has = Set(member.texts)
        return texts.filter { !has.contains($0) }
    }

    /// Reads an array of PostgreSQL's whose elements are labels: `{site=seoul,disk=fast}`. Nil for anything else.
    package init?(array: String?, most: Int) {
        guard let array, array.utf8.count <= most * 130 + 2, array.hasPrefix("{"), array.hasSuffix("}"),
            array.utf8.count >= 2
        else { return nil }
        let inner = array.utf8.dropFirst().dropLast()
        let texts = inner.isEmpty ? [] : inner.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        self.init(texts.map { String(decoding: $0, as: UTF8.self) }, most: most)
    }

    /// The same as an array of PostgreSQL's. Labels need no quotes there.
    package var array: String { "{" + texts.joined(separator: ",") + "}" }
}
