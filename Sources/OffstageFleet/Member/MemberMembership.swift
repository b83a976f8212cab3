// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageClient
import OffstageCommands
import OffstageCore
import OffstageProtocol

/// How a machine becomes a member, and how it stops being one. For commands, which may block.
struct MemberMembership {
    private let paths: OffstagePaths

    /// Seconds for the member's process and its transfers to end.
    private static let patience = 20.0
    private static let releasePatience = 120.0
    /// Seconds for the daemon to answer at all.
    private static let daemonPatience = 15.0

    init(_ paths: OffstagePaths) { self.paths = paths }

    // MARK: - Joining

    /// Joins, and writes the settings.
    ///
    /// - Throws: `MemberError`, `DatabaseError`.
    func join(_ settings: MemberSettings, _ database: DatabaseClient) throws {
        if let known = try? MemberSettings.read(paths.fleetMember),
            known.fleet != settings.fleet || known.name != settings.name
        {
            throw MemberError("This machine is the member '\(known.name)' already: 'offstage fleet leave' ends that.")
        }
        let lock = try MemberLock(paths)
        defer { lock.release() }
        let answer = try database.ask(
            "SELECT member, incarnation, lease_seconds, fleet FROM offstage.join_fleet($1, $2, $3, $4, $5)",
            settings.joining
        )
        let file = IdentityFile(path: paths.fleetMemberState)
        try file.set(try MemberIdentity(answer, settings))
        try settings.write(to: paths.fleetMember)
    }

    // MARK: - Leaving

    /// Ends the member's process, if it runs.
    func stop() throws(MemberError) {
        guard let process = MemberLock.holder(paths) else { return }
        // The pidfd is opened before the check, so a later process with the same PID is never signalled.
        let descriptor = offstage_pidfd_open(process)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, MemberLock.isHeld(by: process, paths) else {
            // It may have ended meanwhile.
            guard MemberLock.holder(paths) != nil else { return }
            throw MemberError(
                "The member of this home runs where this command cannot end it, as in a container or on another "
                    + "machine: stop it there, and try again."
            )
        }
        guard offstage_pidfd_signal(descriptor, SIGTERM) == 0 || errno == ESRCH else {
            throw MemberError("The member, process \(process), cannot be ended: stop it first.")
        }
        let end = MemberClock.seconds + Self.patience
        while MemberLock.holder(paths) != nil {
            guard MemberClock.seconds < end else {
                throw MemberError("The member, process \(process), does not end: stop it first.")
            }
            usleep(20_000)
        }
    }

    /// Makes the daemon release the fleet's transfers, without notifying their servers.
    func letGo(_ settings: MemberSettings, _ context: CommandContext) throws {
        let connector = DaemonConnector(
            paths: paths,
            environment: context.environment,
            client: "offstage-fleet",
            startsDaemon: context.startsDaemon
        )
        let daemon = try connector.connect(within: Self.daemonPatience)
        while true {
            var query = TransferQuery(limit: 500)
            query.owner = MemberDaemon.owner
            let page = try daemon.send(ListTransfers(query: query))
            let ours = page.rows.filter { $0.keeper?.fleet == settings.fleet }
            guard !ours.isEmpty else { return }
            let unfinished = ours.filter { $0.kind != .finished }.map(\.id)
            if !unfinished.isEmpty {
                _ = try daemon.send(
                    ActOnTransfers(verb: .release, selection: .ids(unfinished)),
                    within: Self.releasePatience
                )
            }
            let reply = try daemon.send(ActOnTransfers(verb: .forget, selection: .ids(ours.map(\.id))))
            guard !reply.done.isEmpty else { throw CommandFailure("it does not forget \(ours.count) of them") }
        }
    }

    /// Gives up the name, and gives back the member's rows.
    func leave(_ settings: MemberSettings) throws {
        guard let identity = IdentityFile(path: paths.fleetMemberState).identity else { return }
        let database = try DatabaseClient(DatabaseAddress(settings.database))
        do throws(DatabaseError) {
            try database.ask(
                "SELECT offstage.leave_fleet($1, $2)",
                ["\(identity.member)", "\(identity.incarnation)"]
            )
        } catch {
            // If it is fenced, its rows already belong to other members.
            guard error.kind == .fenced else { throw error }
        }
    }

    /// Removes the machine's record of its membership.
    func forget() throws(MemberError) {
        try IdentityFile(path: paths.fleetMemberState).set(nil)
        try MemberFile.remove(paths.fleetMember)
    }
}
