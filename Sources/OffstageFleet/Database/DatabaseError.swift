// SPDX-License-Identifier: Apache-2.0

/// An error of the fleet's database, or of the connection to it. The text is for people and contains no password.
package struct DatabaseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// How a caller should handle the error.
    package enum Kind: Sendable, Hashable {
        /// The address is unusable, and a person must change it.
        case address
        /// The connection was lost, or not established. It is unknown whether the questions had any effect.
        case connection
        /// It conflicted with another transaction, and may succeed if repeated.
        case contention
        /// The member is fenced.
        case fenced
        /// The object belongs to another login.
        case another
        /// The fleet is for later versions.
        case version
        /// The login lacks the rights for it.
        case rights
        /// A temporary failure: the database has no room, or was told to abort.
        case trouble
        /// Any other refusal, usually a bug of ours.
        case refused
    }

    package let kind: Kind
    /// The SQLSTATE; empty if the error is not from the database.
    package let code: String
    package let description: String

    package init(_ kind: Kind, _ description: String, code: String = "") {
        self.kind = kind
        self.code = code
        self.description = description
    }

    /// Classes of SQLSTATE: transactions, conflicts, lack of resources, cancellation, the system, the server itself.
    private static let troubles: Set<String> = ["25", "40", "53", "55", "57", "58", "F0", "XX"]

    /// Whether the database rejects the values as invalid, so a retry with the same values would fail again.
    package var isOfValues: Bool { kind == .refused && (code.hasPrefix("22") || code.hasPrefix("23")) }

    /// An answer of the database.
    ///
    /// - Parameters:
    ///   - code: its SQLSTATE, which is untrusted.
    ///   - message: a message that is safe to show.
    package init(code: String, message: String) {
        let kind: Kind =
            switch code {
            case "OS001": .fenced
            case "OS002": .another
            case "OS003": .version
            case "40001", "40P01", "55P03": .contention
            case "42501": .rights
            case _ where code.hasPrefix("08") || code.hasPrefix("57P") || code == "25006": .connection
            case _ where Self.troubles.contains(String(code.prefix(2))): .trouble
            default: .refused
            }
        self.init(kind, message, code: code)
    }
}
