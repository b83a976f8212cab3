// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol

/// Publishes what a device has chosen to share: the outcomes of its own transfers, and the machine's conditions.
///
/// Belongs to the loop's thread.
final class DeviceMirror {
    private let database: MemberDatabase
    private let daemon: MemberDaemon
    private var book: MirrorBook
    /// The member's identity; nil while the machine is not a member.
    private let whoAmI: () -> MemberIdentity?
    private let refused: (DatabaseError) -> Void

    /// - Parameters:
    ///   - isOn: whether the owner has enabled it.
    ///   - database: the database to publish to.
    ///   - daemon: the daemon that has the transfers.
    ///   - whoAmI: returns the member's identity; nil while the machine is not a member.
    ///   - refused: receives refusals by the database.
    init(
        isOn: Bool,
        _ database: MemberDatabase,
        _ daemon: MemberDaemon,
        whoAmI: @escaping () -> MemberIdentity?,
        refused: @escaping (DatabaseError) -> Void
    ) {
        book = MirrorBook(isOn: isOn)
        self.database = database
        self.daemon = daemon
        self.whoAmI = whoAmI
        self.refused = refused
    }

    /// Handles a new connection to the daemon. Transfers may have ended unobserved.
    func daemonCame() { book.daemonCame() }

    /// Handles the end of one of the machine's own transfers.
    func finished(_ transfer: TransferID) { book.finished(transfer) }

    /// Asks the daemon about ended transfers, and sends known outcomes to the database.
    func turn() {
        guard book.isOn else { return }
        if book.takeLookBack() { lookBack() }
        while let ids = book.takeEnded() { learn(ids) }
        showOutcomes()
    }

    /// Collects the latest ended transfers. The database may already have some, and stores each only once.
    private func lookBack() {
        daemon.ask(ListTransfers(query: TransferQuery(kinds: [.finished], limit: MirrorBook.most))) {
            [weak self] result in
            guard let self, case .success(let page) = result else { return }
            for row in page.rows where row.keeper == nil { book.finished(row.id) }
        }
    }

    private func learn(_ ids: [TransferID]) {
        daemon.ask(ShowTransfers(ids: ids)) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let reply):
                for detail in reply.details { MirrorBook.Outcome(detail).map { book.add($0) } }
            // A single forgotten transfer makes the whole request fail.
            case .failure(let error) where error.code == .transferNotFound && ids.count > 1:
                for id in ids { learn([id]) }
            case .failure: break
            }
        }
    }

    private func showOutcomes() {
        guard !book.isShowing, database.isConnected, let identity = whoAmI(), !book.outcomes.isEmpty
        else {
            return
        }
        let some = book.outcomes.prefix(MirrorBook.most)
        book.isShowing = true
        database.ask(
            "SELECT offstage.show_outcomes($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            [
                "\(identity.member)", "\(identity.incarnation)", FleetArray.numbers(some.map(\.transfer.rawValue)),
                FleetArray.numbers(some.map(\.result.rawValue)),
                FleetArray.texts(some.map { $0.endedAt.formatted(.iso8601) }), FleetArray.texts(some.map(\.path)),
                FleetArray.texts(some.map(\.destination)), FleetArray.numbers(some.map(\.bytes)),
                FleetArray.texts(some.map(\.detail)),
            ]
        ) { [weak self] result in
            guard let self else { return }
            book.isShowing = false
            switch result {
            case .success: book.shown(some.count)
            case .failure(let error):
                if isCurrent(identity) { refused(error) }
                // Values that the database cannot parse would fail later, too.
                if error.kind == .refused { book.shown(some.count) }
            }
        }
    }

    /// Publishes the machine's conditions if they have changed.
    func showConditions() {
        guard book.isOn, daemon.isPrepared else { return }
        daemon.ask(ListTasks(limit: 1)) { [weak self] tasks in
            guard let self, case .success(let tasks) = tasks else { return }
            daemon.ask(GetStatus()) { [weak self] status in
                guard let self, case .success(let status) = status else { return }
                let counts = { (kind: TransferState.Kind) in max(0, status.counts[kind.rawValue] ?? 0) }
                let conditions = tasks.machine.conditions
                show(
                    .init(
                        network: conditions.network.rawValue,
                        power: conditions.hasExternalPower ? "external" : "battery",
                        waiting: counts(.queued).addingClamped(counts(.waiting)),
                        running: counts(.running)
                    )
                )
            }
        }
    }

    private func show(_ condition: MirrorBook.Condition) {
        guard condition != book.condition, database.isConnected, let identity = whoAmI() else {
            return
        }
        database.ask(
            "SELECT offstage.show_condition($1, $2, $3, $4, $5, $6)",
            [
                "\(identity.member)", "\(identity.incarnation)", condition.network, condition.power,
                "\(condition.waiting)", "\(condition.running)",
            ]
        ) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success: book.condition = condition
            case .failure(let error): if isCurrent(identity) { refused(error) }
            }
        }
    }

    /// Whether an answer is for this machine's current incarnation.
    private func isCurrent(_ identity: MemberIdentity) -> Bool { whoAmI()?.incarnation == identity.incarnation }
}
