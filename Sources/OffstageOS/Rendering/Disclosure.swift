// SPDX-License-Identifier: Apache-2.0

/// What becomes of a value in a message. Decided before the value is made a text: what is hidden is never made one.
package enum Disclosure: Sendable, Equatable {
    case shown, hidden, hashed

    /// - Parameters:
    ///   - privacy: what was asked for.
    ///   - isPersonal: whether the value may be somebody's own, as texts and objects may, and numbers are not.
    package init(_ privacy: OSLogPrivacy, isPersonal: Bool) {
        switch privacy.option {
        case .shown: self = .shown
        case .automatic: self = !isPersonal ? .shown : privacy.mask == .hash ? .hashed : .hidden
        case .hidden, .sensitive: self = privacy.mask == .hash ? .hashed : .hidden
        }
    }

    /// What stands in the message.
    ///
    /// - Parameters:
    ///   - hash: with which values of this process are hashed.
    ///   - align: is done to a text that is shown.
    ///   - text: the value, asked for only when it is needed.
    /// - Returns: what everybody may read.
    package func text(hash: KeyedHash, align: (String) -> String = { $0 }, _ text: () -> String) -> String {
        switch self {
        case .shown: align(text())
        case .hidden: "<private>"
        case .hashed: "<mask.hash: '\(hash.hexadecimal(of: text()))'>"
        }
    }
}
