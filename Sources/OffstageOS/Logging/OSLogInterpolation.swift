// SPDX-License-Identifier: Apache-2.0

/// Takes the parts of a message together. An app does not name it: the compiler calls it for `"… \(value) …"`.
public struct OSLogInterpolation: StringInterpolationProtocol {
    /// What everybody may read.
    package private(set) var text = ""
    private let hash: KeyedHash

    /// - Parameters:
    ///   - literalCapacity: how long the text without values is.
    ///   - interpolationCount: how many values there are.
    public init(literalCapacity: Int, interpolationCount: Int) {
        hash = .ofThisProcess
        text.reserveCapacity(literalCapacity &+ interpolationCount &* 16)
    }

    /// Adds what stands in the program's source.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Adds a value.
    mutating func append(
        isPersonal: Bool,
        _ privacy: OSLogPrivacy,
        _ align: OSLogStringAlignment = .none,
        _ value: () -> String
    ) {
        let disclosure = Disclosure(privacy, isPersonal: isPersonal)
        text += disclosure.text(hash: hash, align: { align.format.padded($0) }, value)
    }
}
