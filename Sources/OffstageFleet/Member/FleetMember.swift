// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// A member of a fleet, which connects the database to the machine's daemon. It carries out the decisions of
/// `MemberLease`, `FleetRow` and `FleetPace`.
///
/// Belongs to the loop's thread, and never blocks.
final class FleetMember {
    let settings: MemberSettings
    let clock = MemberClock()
    let threads = SideThreads()
    let database: MemberDatabase
    let daemon: MemberDaemon
    let file: IdentityFile
    let seals: MemberSeals
    let table = MemberTable()
    let log: (String) -> Void
    var lease: MemberLease
    var pace = FleetPace()
    private(set) lazy var reports = MemberReports(database) { [weak self] identity, result in
        guard let self, identity.incarnation == file.identity?.incarnation else { return false }
        if case .failure(let error) = result { refused(error) }
        return true
    }
    var orders = DaemonOrders()
    var turns = MemberTurns()
    private(set) lazy var mirror = DeviceMirror(
        isOn: settings.isDevice && settings.shows,
        database,
        daemon,
        whoAmI: { [weak self] in self?.isMember == true ? self?.file.identity : nil },
        refused: { [weak self] in self?.refused($0) }
    )

    /// - Parameters:
    ///   - settings: the settings in `fleet-member.json`.
    ///   - way: how to find the daemon.
    ///   - log: receives lines for people, without secrets.
    /// - Throws: `MemberError` if the settings or the key cannot be used.
    init(_ settings: MemberSettings, _ way: MemberDaemon.Way, log: @escaping (String) -> Void) throws(MemberError) {
        self.settings = settings
        self.log = log
        let address: DatabaseAddress
        do throws(DatabaseError) {
            address = try DatabaseAddress(settings.database, application: "offstage-fleet \(settings.name)")
        } catch {
            throw MemberError("\(error).")
        }
        do throws(SealError) {
            seals = MemberSeals(try FleetKey(path: settings.key), fleet: settings.fleet)
        } catch {
            throw MemberError(error.sentence)
        }
        database = MemberDatabase(address, threads, listens: settings.listens)
        daemon = MemberDaemon(way, fleet: settings.fleet, threads)
        file = IdentityFile(path: way.paths.fleetMemberState)
        lease = MemberLease()
        guard let identity = file.identity, identity.fleet == settings.fleet,
            identity.joinedAs == settings.joinedAs
        else {
            try file.set(nil)
            return
        }
        lease = MemberLease(resuming: identity.leaseLength, until: identity.deadline)
        lead(.time)
    }

    /// Seconds on the boot-time clock.
    var seconds: Double { MemberClock.seconds }

    /// Whether the database has admitted this member, as far as is known.
    var isMember: Bool {
        switch lease.state {
        case .valid, .doubtful: file.identity != nil
        case .outside, .joining, .left: false
        }
    }

    // MARK: - The lease

    func lead(_ event: MemberLease.Event) {
        for action in lease.handle(event, now: clock.now()) {
            switch action {
            case .join: join()
            case .renew: turns.isAsked = true
            case .compare: compare()
            case .halt:
                if holdsSomething { log("The lease is in doubt: transfers wait until the database has answered.") }
                each(.halt)
                // Transfers that an earlier process left to the daemon stop as well.
                orders.add(.pause, table.known.values.filter { $0.kind != .finished }.map(\.id))
            case .goOn:
                each(.goOn)
                orders.add(.resume, table.known.values.filter { $0.kind != .finished }.map(\.id))
            case .dropAll:
                if !table.isEmpty { log("This member was fenced: it lets go of \(table.count) rows.") }
                turns.isSettled = false
                each(.lost)
            case .wake(let after): turns.leaseAlarm = seconds + after
            }
        }
        file.record(table.isEmpty ? nil : lease.deadline)
    }

    /// Whether anything depends on the lease: a row, or a transfer that an earlier process has left to the daemon.
    private var holdsSomething: Bool { !table.isEmpty || table.known.values.contains { $0.kind != .finished } }

    private func each(_ event: FleetRowEvent) { for grant in table.rows.keys.sorted() { handle(grant, event) } }

    private func join() {
        database.ask(
            "SELECT member, incarnation, lease_seconds, fleet FROM offstage.join_fleet($1, $2, $3, $4, $5)",
            settings.joining
        ) { [weak self] in self?.joined($0) }
    }

    /// Seconds until the next try, after the database refused this member.
    private static let refusalPause = 60.0

    private func joined(_ result: Result<[FleetRecord], DatabaseError>) {
        switch result {
        case .failure(let error):
            // It joins once there is a connection again.
            guard error.kind != .connection else { return }
            log("The fleet does not take this member in: \(error).")
            refuse()
        case .success(let records):
            let identity: MemberIdentity
            do throws(MemberError) {
                identity = try MemberIdentity(records, settings)
                try file.set(identity)
            } catch {
                log(error.description)
                return refuse()
            }
            log("Joined as member \(identity.member), for the \(identity.incarnation). time.")
            turns.joined()
            settle()
            lead(.joined(length: identity.leaseLength))
        }
    }

    private func refuse() {
        lead(.refused)
        turns.retryJoin = seconds + Self.refusalPause
    }

    /// Handles fencing of this member. The incarnation's other questions are refused as well, but it rejoins only once.
    func fenced() {
        guard isMember else { return }
        reports.nothingIsBusy()
        turns.isTurning = false
        lead(.refused)
    }

    /// Records that the member's rows are known.
    func settle() {
        turns.isSettled = true
        table.settle()
        releaseStrangers()
        // Another turn repeats the requested actions for rows that were not known yet.
        turns.isAsked = true
    }

    // MARK: - Rows

    /// Passes an event to a row, and performs the resulting actions.
    func handle(_ grant: FleetGrant, _ event: FleetRowEvent) {
        let leasedAt = table.rows[grant]?.leasedAt
        guard let actions = table.change(grant, { $0.row.handle(event) }) else { return }
        for action in actions { perform(action, for: grant, leasedAt: leasedAt) }
    }

    private func perform(_ action: FleetRowAction, for grant: FleetGrant, leasedAt: Double?) {
        switch action {
        case .begin: reports.begin(grant)
        case .handOver: orders.handOver(grant)
        case .keep(let number, let memory, let done):
            guard let transfer = table.rows[grant]?.row.transfer else { return }
            reports.keep(number, .init(grant: grant, transfer: transfer, memory: memory, done: done))
        case .confirm(_, let number):
            // The alarm for the lease's end may be late.
            orders.answer(number, isKept: lease.permitsRequests(at: clock.now()))
        case .pause(let id): orders.add(.pause, [id])
        case .resume(let id): orders.add(.resume, [id])
        case .cancel(let id): orders.add(.cancel, [id])
        case .letGo(let id): orders.add(.release, [id])
        case .report(let end): reports.finish(grant, end)
        case .giveBack(let back): reports.giveBack(grant, back)
        case .forget(let id): orders.add(.forget, [id])
        case .over:
            reports.forget(grant)
            orders.forget(grant)
            if let leasedAt { pace.ended(after: seconds - leasedAt) }
        }
    }

    // MARK: - The loop

    /// When the next action is due; nil if none is.
    var due: Double? {
        let all = [database.due, daemon.due, turns.leaseAlarm, turns.retryJoin, nextTurn, reportsDue]
        return (all + (daemon.isPrepared ? orders.due(canHandOver: canHandOver) : [])).compactMap { $0 }.min()
    }

    /// When to repeat reports that the database could not store.
    private var reportsDue: Double? { database.isConnected && !reports.isEmpty ? reports.pausedUntil : nil }

    /// Does everything that can be done without blocking.
    func turn() {
        let now = seconds
        if let alarm = turns.leaseAlarm, alarm <= now {
            turns.leaseAlarm = nil
            // Without rows, the lease may expire. The next turn renews it, which avoids needless questions.
            if holdsSomething { lead(.time) }
        }
        if let retry = turns.retryJoin, retry <= now {
            turns.retryJoin = nil
            lead(.disconnected)
            if database.isConnected { lead(.connected) }
        }
        database.turn(now: now)
        daemon.turn(now: now)
        takeEvents()
        if let next = nextTurn, next <= now { runTurn() }
        giveOrders()
        sendReports()
        reportDrained()
        daemon.flush()
        takeEvents()
    }

    private func takeEvents() {
        for event in database.takeEvents() { handle(event) }
        for event in daemon.takeEvents() { handle(event) }
    }

    private func handle(_ event: MemberDatabase.Event) {
        switch event {
        case .connected(let isTold):
            turns.trouble = nil
            pace.isTold = isTold
            log("Connected to the database\(isTold ? "" : ", which tells of nothing: it is asked now and then").")
            lead(.connected)
        case .disconnected(let error):
            reports.nothingIsBusy()
            turns.isTurning = false
            // Log each problem once, not once per try.
            if turns.trouble != error.description { log("The database cannot be reached: \(error).") }
            turns.trouble = error.description
            lead(.disconnected)
        case .notified(let channel, let payload):
            switch channel {
            case "offstage_work": pace.called()
            case "offstage_member" where payload.isEmpty || payload == file.identity.map { "\($0.member)" }:
                turns.isAsked = true
            default: break
            }
        }
    }
}
