// SPDX-License-Identifier: Apache-2.0

/// Identifies the keeper of a transfer's memory outside of this machine: the fleet's row that the transfer carries out,
/// and the fence under which this machine has the row.
///
/// No request of such a transfer is sent before its keeper has confirmed what the request depends on.
package struct TransferKeeper: Sendable, Hashable, Codable {
    /// The fleet's id, as in its database.
    package var fleet: String
    package var row: Int64
    package var fence: Int32

    package init(fleet: String, row: Int64, fence: Int32) {
        self.fleet = fleet
        self.row = row
        self.fence = fence
    }

    /// The key under which the transfer is on record, unless its owner gave it another: the same lease is carried out
    /// only once.
    package var key: String { "fleet/\(fleet)/\(row)/\(fence)" }

    /// Checks a keeper that a client sent.
    package func validate() throws(RequestError) {
        try Self.validate(fleet: fleet)
        guard FleetGrant(row: row, fence: fence) != nil else {
            throw .invalidValue("A row of a fleet and its fence must have numbers that a fleet gives")
        }
    }

    /// Checks the id of a fleet that a client sent.
    package static func validate(fleet: String) throws(RequestError) {
        guard FleetText.isName(fleet) else {
            throw .invalidValue("A fleet's id has 1 to 63 letters, digits, dots, hyphens and underscores")
        }
    }
}
