// SPDX-License-Identifier: Apache-2.0

/// What somebody wants of a row that is under way: the last outweighs the first.
package enum FleetWish: Int, Sendable, Comparable, CaseIterable {
    /// The member drains at once: another is to go on.
    case moveOn
    /// A person pauses it.
    case pause
    /// A person cancels it.
    case cancel

    package static func < (left: FleetWish, right: FleetWish) -> Bool { left.rawValue < right.rawValue }

    /// Reads the database's number; nil for one that asks for nothing, or is unknown.
    package init?(column: String?) {
        switch column {
        case "1": self = .cancel
        case "2": self = .pause
        default: return nil
        }
    }

    /// The note of a row that was given back as a person has cancelled it.
    package static let cancelled = "cancelled"

    /// How the row is given back: what then becomes of it is the database's to decide, which knows the wish.
    package var back: FleetRow.Return {
        switch self {
        case .moveOn: .init(after: 0, note: "its member drains")
        case .pause: .init(after: 0, note: "paused")
        case .cancel: .init(after: 0, note: Self.cancelled)
        }
    }
}
