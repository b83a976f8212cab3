// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCommands
import OffstageCore

extension FleetJoinCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let place = try context.place()
        let paths = try context.command.paths()
        do throws(MemberError) {
            guard MemberLock.holder(paths) == nil else {
                throw MemberError("The member of this home runs: stop it before it joins anew.")
            }
        } catch {
            throw CommandFailure(error.description)
        }
        let database = try DatabaseClient(DatabaseAddress(place.database))
        let identity = try FleetIdentity(database)
        var settings = MemberSettings(
            database: place.database,
            fleet: identity.id,
            name: name,
            key: try key.map { try context.command.absolute($0) } ?? paths.fleetKey
        )
        settings.labels = labels.sorted()
        settings.shares = try shares.map { try Self.folder($0, context.command) }
        settings.accounts = try accounts.map { $0.hasPrefix("/") ? try context.command.absolute($0) : $0 }
        (settings.rows, settings.isDevice, settings.shows, settings.listens) = (rows, isDevice, shows, !polls)
        do {
            try settings.validate()
            try Self.check(settings, identity, fingerprint ?? place.fingerprint)
            try MemberMembership(paths).join(settings, database)
        } catch let error as MemberError {
            throw CommandFailure(error.description)
        }
        if context.command.printsJSON {
            context.output.print(try JSONText.of(["fleet": identity.id, "member": name]))
        } else {
            let what = isDevice ? "device" : "member"
            context.output.print("This machine is the \(what) '\(name)' of the fleet \(identity.id).")
            context.output.print(
                "Start it with 'offstage-fleet member run', or 'systemctl --user enable --now offstage-fleet'."
            )
        }
        return .success
    }

    private static func folder(_ path: String, _ context: CommandContext) throws -> String {
        let absolute = try context.absolute(path)
        var status = stat()
        guard stat(absolute, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw CommandFailure("\(absolute.redactedControls) is not a folder: mount it first, or name another.")
        }
        return absolute
    }

    /// Checks that the key is the fleet's. Otherwise no sealed value could be opened here.
    private static func check(_ settings: MemberSettings, _ fleet: FleetIdentity, _ fingerprint: String?)
        throws(MemberError)
    {
        let own: FleetPublicKey
        do throws(SealError) {
            own = try FleetKey(path: settings.key).publicKey
        } catch {
            throw MemberError("\(error.sentence) Whoever set the fleet up has the file; name it with --key.")
        }
        guard own == fleet.key else {
            throw MemberError("The key in \(settings.key.redactedControls) is not the one of this database's fleet.")
        }
        guard fingerprint.map({ own.matches(fingerprint: $0) }) ?? true else {
            throw MemberError(
                "The key's fingerprint is \(own.fingerprint), not the one that was expected: tell the fleet's owner."
            )
        }
    }
}

extension FleetLeaveCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let paths = try context.command.paths()
        let membership = MemberMembership(paths)
        do {
            let settings = try MemberSettings.read(paths.fleetMember)
            try membership.stop()
            let lock = try MemberLock(paths)
            defer { lock.release() }
            do {
                try membership.letGo(settings, context.command)
            } catch {
                // Other members would start rows that this machine's daemon is still sending.
                guard isForced else {
                    throw CommandFailure(
                        "The membership was not ended, as the daemon still has transfers of the fleet (\(Self.words(error))): try again, "
                            + "or use --force; rows go to others once the lease is over."
                    )
                }
            }
            do {
                try membership.leave(settings)
            } catch {
                guard isForced else {
                    throw CommandFailure(
                        "The membership was not ended, and this machine sends nothing any more (the database: \(Self.words(error))): try "
                            + "again, or use --force; rows go to others once the lease is over."
                    )
                }
            }
            try membership.forget()
            if context.command.printsJSON {
                context.output.print(try JSONText.of(["member": settings.name, "state": "left"]))
            } else {
                context.output.print("This machine is no longer the member '\(settings.name)'.")
            }
            return .success
        } catch let error as MemberError {
            throw CommandFailure(error.description)
        }
    }

    private static func words(_ error: any Error) -> String {
        (error as? CommandFailure)?.sentences.joined(separator: " ") ?? "\(error)"
    }
}

extension FleetDrainCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let paths = try context.command.paths()
        var member = name
        let database: DatabaseClient
        if let name {
            member = name
            database = try context.open()
        } else {
            let settings: MemberSettings
            do throws(MemberError) {
                settings = try MemberSettings.read(paths.fleetMember)
            } catch {
                throw CommandFailure(error.description)
            }
            member = settings.name
            database = try DatabaseClient(DatabaseAddress(settings.database))
        }
        let shown = member ?? ""
        let answer = try database.ask(
            "SELECT offstage.drain_member($1, $2) AS done",
            [member, undoes ? "f" : "t"]
        )
        guard answer.first?.flag("done") == true else {
            throw CommandFailure("The fleet has no member '\(shown)' that this login may drain.")
        }
        if context.command.printsJSON {
            context.output.print(try JSONText.of(["member": shown, "state": undoes ? "active" : "draining"]))
            return .success
        }
        context.output.print(
            undoes ? "'\(shown)' takes rows again." : "'\(shown)' finishes what it has, and takes nothing more."
        )
        return .success
    }
}

extension FleetMemberRunCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        do {
            try MemberProgram.run(
                paths: context.command.paths(),
                context.command.environment,
                startsDaemon: context.command.startsDaemon
            )
        } catch let error as MemberError {
            throw CommandFailure(error.description)
        }
        return .success
    }
}
