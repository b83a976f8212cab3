// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore

/// A page's question about a fleet, answered by a process of `offstage-fleet`: this one never connects to a database.
package enum FleetQuestion: Sendable, Equatable {
    case status
    /// Rows before a number, in some states, newest first.
    case rows(states: [String], before: Int64?)
    case show(Int64)
    case why(Int64)

    /// The arguments after the program's name.
    package var words: [String] {
        switch self {
        case .status: ["status", "--json"]
        case .rows(let states, let before):
            ["list", "--json", "--limit", "\(PageBounds.fleetRows)"] + states.flatMap { ["--state", $0] }
                + (before.map { ["--before", "\($0)"] } ?? [])
        case .show(let id): ["show", "--json", "\(id)"]
        case .why(let id): ["why", "--json", "\(id)"]
        }
    }

    /// - Parameters:
    ///   - path: the path after `/api/fleet/`.
    ///   - fields: the fields of the request's query.
    /// - Throws: `PageRefusal` for an invalid request.
    init(_ path: Substring, _ fields: [String: String]) throws(PageRefusal) {
        switch path {
        case "status": self = .status
        case "rows":
            var states: [String] = []
            for word in fields["state"]?.split(separator: ",").map(String.init) ?? [] {
                guard let state = FleetStanding.State.allCases.first(where: { $0.word == word }) else {
                    throw .content
                }
                states.append(state.word)
            }
            self = .rows(states: states, before: try fields["before"].map(Self.id))
        case "show": self = .show(try Self.id(fields["id"] ?? ""))
        case "why": self = .why(try Self.id(fields["id"] ?? ""))
        default: throw .notFound
        }
    }

    private static func id(_ text: String) throws(PageRefusal) -> Int64 {
        guard let number = Int64(digits: text), FleetRowNumbers.range.contains(number) else { throw .content }
        return number
    }
}
