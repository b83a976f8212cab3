// SPDX-License-Identifier: Apache-2.0

/// A wish for a row that is under way. Later cases override earlier ones.
package enum FleetWish: Int, Sendable, Comparable, CaseIterable {
    /// The member drains at once: another member should continue.
    case moveOn
    /// A person pauses it.
    case pause
    /// A person cancels it.
    case cancel

    package static func < (left: FleetWish, right: FleetWish) -> Bool { left.rawValue < right.rawValue }

    /// Reads the database's number; nil for a number that means no wish, or is unknown.
    package init?(column: String?) {
        switch column {
        case "1": self = .cancel
        case "2": self = .pause
        default: return nil
        }
    }

    /// The note of a row that was returned because a person cancelled it.
    package static let cancelled = "cancelled"

    /// How the row is returned. The database, which knows the wish, decides what becomes of it.
    package var back: FleetRow.Return {
        switch self {
        case .moveOn: .init(after: 0, note: "its member drains")
        case .pause: .init(after: 0, note: "paused")
        case .cancel: .init(after: 0, note: Self.cancelled)
        }
    }
}
