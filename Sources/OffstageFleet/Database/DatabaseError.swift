// SPDX-License-Identifier: Apache-2.0

/// What the fleet's database, or the way to it, refused. The text is for people and holds no password.
package struct DatabaseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// How a caller treats it.
    package enum Kind: Sendable, Hashable {
        /// The address cannot be used as it is: a person has to change it.
        case address
        /// The connection is lost, or was not made. Nobody knows whether what was asked has been done.
        case connection
        /// Asked again, it may succeed: it was in the way of somebody else's transaction.
        case contention
        /// The member is fenced.
        case fenced
        /// Something belongs to another login.
        case another
        /// The fleet is for later versions.
        case version
        /// The login may not do that.
        case rights
        /// It cannot at present: it has no room, or was told to break off.
        case trouble
        /// Anything else that the database refuses: a mistake of ours, for the most part.
        case refused
    }

    package let kind: Kind
    /// The SQLSTATE; empty if it is not the database that speaks.
    package let code: String
    package let description: String

    package init(_ kind: Kind, _ description: String, code: String = "") {
        self.kind = kind
        self.code = code
        self.description = description
    }

    /// Classes of SQLSTATE: transactions, what stands in the way, no resources, broken off, the system, the server itself.
    private static let troubles: Set<String> = ["25", "40", "53", "55", "57", "58", "F0", "XX"]

    /// Whether the database says that the values make no sense: asked again with the same, it says the same.
    package var isOfValues: Bool { kind == .refused && (code.hasPrefix("22") || code.hasPrefix("23")) }

    /// An answer of the database.
    ///
    /// - Parameters:
    ///   - code: its SQLSTATE; whoever answers may send anything.
    ///   - message: fit to be shown.
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
