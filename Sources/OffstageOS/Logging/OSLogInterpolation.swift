// SPDX-License-Identifier: Apache-2.0

/// Collects the parts of a message. Apps do not use it directly: the compiler calls it for `"… \(value) …"`.
public struct OSLogInterpolation: StringInterpolationProtocol {
    /// The message in the form that anyone may read.
    package private(set) var text = ""
    private let hash: KeyedHash

    /// - Parameters:
    ///   - literalCapacity: the length of the text without values.
    ///   - interpolationCount: the number of values.
    public init(literalCapacity: Int, interpolationCount: Int) {
        hash = .ofThisProcess
        text.reserveCapacity(literalCapacity &+ interpolationCount &* 16)
    }

    /// Adds text from the program's source.
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
