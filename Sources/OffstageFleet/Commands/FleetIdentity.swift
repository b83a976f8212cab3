// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore

/// The fleet's identity according to the database: its id, and the public half of its key.
struct FleetIdentity {
    /// As the database writes it.
    let id: String
    let key: FleetPublicKey?

    /// - Throws: `CommandFailure` for an invalid answer.
    init(_ database: DatabaseClient) throws {
        let record = try database.ask("SELECT id, public_key FROM offstage.fleet").first
        guard let id = record?.raw("id"), id.utf8.count == 36, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw CommandFailure("The database does not say which fleet it has: 'offstage fleet init' sets it up.")
        }
        self.id = id
        key = record.flatMap { FleetPublicKey(bytea: $0.raw("public_key")) }
    }

    /// The key to seal secrets to.
    ///
    /// - Parameter place: has the fingerprint that this user was given.
    /// - Returns: the key.
    /// - Throws: `CommandFailure` if there is none, or if its fingerprint is not the one that this user was given.
    func key(trustedBy place: FleetPlace) throws(CommandFailure) -> FleetPublicKey {
        guard let key else {
            throw CommandFailure("The fleet has no key to seal secrets to: 'offstage fleet init' makes one.")
        }
        guard let fingerprint = place.fleet == id ? place.fingerprint : nil else {
            throw CommandFailure(
                "The file's request has secrets, and the fingerprint of the fleet's key is not known here: ask the fleet's owner for "
                    + "it, and say 'offstage fleet use URL --fingerprint …'."
            )
        }
        guard key.matches(fingerprint: fingerprint) else {
            throw CommandFailure(
                "The key in the database is not the fleet's: its fingerprint is \(key.fingerprint), and \(fingerprint.redactedControls) "
                    + "was expected. Tell the fleet's owner."
            )
        }
        return key
    }
}
