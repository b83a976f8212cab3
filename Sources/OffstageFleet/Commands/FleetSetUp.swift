// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCommands
import OffstageCore
import OffstageFiles

extension FleetInitCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let place = try context.place()
        let paths = try context.command.paths()
        let path = try keyPath.map { try context.command.absolute($0) } ?? paths.fleetKey
        let database = try DatabaseClient(DatabaseAddress(place.database))
        let versions = try SchemaState.upgrade(database)
        var identity = try FleetIdentity(database)
        if keyPath == nil { try Self.makeFolder(of: path) }
        // The file comes first: if a private half is lost, everything sealed to its public half is unreadable.
        let mayMake = identity.key == nil
        guard !mayMake || keyPath != nil || access(path, F_OK) != 0 else {
            throw CommandFailure(
                "\(path.redactedControls) is there, and this fleet has no key yet: it may be another fleet's. Name a new file with --key, "
                    + "or this one if it is to be used."
            )
        }
        let own = try Self.ownKey(path, mayMake: mayMake)
        if identity.key == nil, let own {
            try database.ask(
                "UPDATE offstage.fleet SET public_key = $1 WHERE public_key IS NULL",
                [FleetBytes.text(own.publicKey.bytes)]
            )
            identity = try FleetIdentity(database)
        }
        guard let key = identity.key else {
            throw CommandFailure("The database has not taken the fleet's key: look at who owns the schema offstage.")
        }
        let holdsKey = own?.publicKey == key
        try FleetPlace(database: place.database, fleet: identity.id, fingerprint: key.fingerprint).write(
            paths.fleetPlace
        )
        let document = Document(
            fleet: identity.id,
            schema: versions.to,
            schemaBefore: versions.from,
            fingerprint: key.fingerprint,
            keyPath: holdsKey ? path : nil
        )
        if context.command.printsJSON {
            context.output.print(try JSONText.of(document))
        } else {
            for line in document.lines { context.output.print(line) }
        }
        return .success
    }

    /// Creates the folder of this user's files, which may not exist before the first daemon has run.
    private static func makeFolder(of path: String) throws(CommandFailure) {
        do throws(PrivateFolder.Failure) {
            // checked: an index of this very text
            try PrivateFolder.make(String(path[..<(path.lastSlash ?? path.startIndex)]))
        } catch {
            throw CommandFailure(error.sentence)
        }
    }

    /// The key in the file. If there is none, a key is created if `mayMake` allows that.
    private static func ownKey(_ path: String, mayMake: Bool) throws(CommandFailure) -> FleetKey? {
        do throws(SealError) {
            if access(path, F_OK) == 0 { return try FleetKey(path: path) }
            guard mayMake else { return nil }
            let key = try FleetKey()
            try key.write(to: path)
            return key
        } catch {
            throw CommandFailure(error.sentence)
        }
    }

    /// In `--json` output (docs/json.md).
    struct Document: Encodable {
        let fleet: String
        let schema: Int
        /// 0 if there was none.
        let schemaBefore: Int
        let fingerprint: String
        /// Left out if the key's private half is not in the file.
        let keyPath: String?

        var lines: [String] {
            let what =
                switch schemaBefore {
                case 0: "The fleet is set up (schema \(schema))."
                case schema: "The fleet is as it was (schema \(schema))."
                default: "The fleet's schema is upgraded from version \(schemaBefore) to \(schema)."
                }
            return [
                what, "The key's fingerprint, for submitters and members: \(fingerprint)",
                keyPath.map { "The private key, for each member: \($0.redactedControls)" }
                    ?? "The private key is not here: whoever set the fleet up has it.",
            ]
        }
    }
}

extension FleetUseCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let path = try context.command.paths().fleetPlace
        var place = try context.place()
        let address = try DatabaseAddress(place.database)
        let identity = try FleetIdentity(try DatabaseClient(address))
        if place.fleet != identity.id { place.fingerprint = nil }
        place.fleet = identity.id
        if let fingerprint { place.fingerprint = fingerprint }
        if let expected = place.fingerprint, let key = identity.key, !key.matches(fingerprint: expected) {
            throw CommandFailure(
                "The fingerprint of the key in the database is \(key.fingerprint), and not \(expected.redactedControls): "
                    + "ask the fleet's owner. Nothing was changed."
            )
        }
        if context.operand != nil || fingerprint != nil { try place.write(path) }
        let document = Document(
            fleet: identity.id,
            database: address.description,
            fingerprint: place.fingerprint,
            keyInDatabase: identity.key?.fingerprint
        )
        if context.command.printsJSON {
            context.output.print(try JSONText.of(document))
        } else {
            for line in document.lines { context.output.print(line) }
        }
        return .success
    }

    /// In `--json` output (docs/json.md).
    struct Document: Encodable {
        let fleet: String
        /// Without a password.
        let database: String
        /// The fingerprint that this user was given; left out if there is none.
        let fingerprint: String?
        let keyInDatabase: String?

        var lines: [String] {
            var lines = ["Commands of this user are for the fleet \(fleet) at \(database)."]
            if let fingerprint {
                lines.append("Secrets are sealed to the key \(fingerprint).")
            } else if let keyInDatabase {
                lines.append("Rows with secrets cannot be submitted before --fingerprint has been given.")
                lines.append(
                    "The database says that it is \(keyInDatabase): believe that only from the fleet's owner."
                )
            }
            return lines
        }
    }
}
