// SPDX-License-Identifier: Apache-2.0

/// How a value in a message is disclosed. Decided before the value is converted to text: a hidden value is never
/// converted.
package enum Disclosure: Sendable, Equatable {
    case shown, hidden, hashed

    /// - Parameters:
    ///   - privacy: the requested privacy.
    ///   - isPersonal: whether the value may be personal, as strings and objects may be, but not numbers.
    package init(_ privacy: OSLogPrivacy, isPersonal: Bool) {
        switch privacy.option {
        case .shown: self = .shown
        case .automatic: self = !isPersonal ? .shown : privacy.mask == .hash ? .hashed : .hidden
        case .hidden, .sensitive: self = privacy.mask == .hash ? .hashed : .hidden
        }
    }

    /// The text for the message.
    ///
    /// - Parameters:
    ///   - hash: the hash for masked values.
    ///   - align: applied to text that is shown.
    ///   - text: the value, evaluated only if needed.
    /// - Returns: the text that anyone may read.
    package func text(hash: KeyedHash, align: (String) -> String = { $0 }, _ text: () -> String) -> String {
        switch self {
        case .shown: align(text())
        case .hidden: "<private>"
        case .hashed: "<mask.hash: '\(hash.hexadecimal(of: text()))'>"
        }
    }
}
