// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Opens a session: determines whether this process gets it, then fetches the tasks that ended while no process was
/// listening, then the tasks still under way.
///
/// Requests that were outstanding when the connection broke are repeated over the next one, from the beginning.
/// Requests that the daemon failed to answer for another reason are repeated after a pause.
extension HubLoop {
    /// How often the daemon may fail to open a session before its waiters receive the error.
    private static let patience = 3

    /// Opens a session over an existing connection, once everything appended so far is in the store: an earlier session
    /// of the same name may have acknowledged ends that would otherwise be delivered again.
    func openOnceCommitted(_ session: SessionCore) {
        let generation = generation
        whenCommitted(hub.journal.position) { [weak self] error in
            // Over a new connection, every session is opened anyway.
            guard let self, error == nil, self.generation == generation else { return }
            open(session)
        }
    }

    func open(_ session: SessionCore, attempt: Int = 1) {
        guard isCurrent(session) else { return }
        ask(OpenSession(identifier: session.identifier)) { [weak self] result in
            guard let self, isCurrent(session) else { return }
            switch result {
            case .success(let standing):
                let needsListing = session.opened(highestTask: standing.highestTask)
                let isWithheld = standing.isWithheld ?? false
                let mustPull = session.endsPending(standing.pendingEnds, isWithheld: isWithheld)
                guard needsListing else { return mustPull ? pullEnds(of: session) : () }
                if standing.outstanding > 0 {
                    list(session, after: 0)
                } else {
                    endListing(session, thenEnds: (standing.untold ?? 0) > 0)
                }
            case .failure(let error):
                if isFinal(error) { return refuse(session, error) }
                if attempt >= Self.patience { session.connectionFailed(error) }
                retry { [weak self] in self?.open(session, attempt: attempt + 1) }
            }
        }
    }

    private func list(_ session: SessionCore, after task: Int) {
        guard isCurrent(session) else { return }
        ask(ListSessionTasks(identifier: session.identifier, after: task)) { [weak self] result in
            guard let self, isCurrent(session) else { return }
            switch result {
            case .success(let page):
                session.listed(page.rows, isLast: false)
                if page.hasMore, let last = page.rows.last {
                    list(session, after: last.task)
                } else {
                    // A task may have ended since the session was opened.
                    endListing(session, thenEnds: true)
                }
            case .failure(let error):
                if isFinal(error) { return refuse(session, error) }
                retry { [weak self] in self?.list(session, after: task) }
            }
        }
    }

    /// Ends the listing: all tasks that have not ended are listed. The tasks that have ended but have not been reported
    /// come next.
    private func endListing(_ session: SessionCore, thenEnds hasEnds: Bool) {
        if hasEnds { return listEnded(session, after: nil) }
        session.listed([], isLast: true)
        pullEnds(of: session)
    }

    private func listEnded(_ session: SessionCore, after end: TransferID?) {
        guard isCurrent(session) else { return }
        let request = ListSessionTasks(identifier: session.identifier, after: .max, isEnded: true, afterEnd: end)
        ask(request) { [weak self] result in
            guard let self, isCurrent(session) else { return }
            switch result {
            case .success(let page):
                session.listed(page.rows, isLast: false)
                if page.hasMore, let last = page.rows.last { return listEnded(session, after: last.id) }
                endListing(session, thenEnds: false)
            case .failure(let error):
                if isFinal(error) { return refuse(session, error) }
                retry { [weak self] in self?.listEnded(session, after: end) }
            }
        }
    }

    /// Fetches the next page of ended tasks, one at a time.
    func pullEnds(of session: SessionCore) {
        guard isCurrent(session), let pull = session.beginPull() else { return }
        ask(ListPendingEnds(identifier: session.identifier, after: pull.after)) { [weak self] result in
            switch result {
            case .success(let page): session.pulled(pull.number, page)
            case .failure:
                session.pullFailed(pull.number)
                self?.retry { [weak self] in self?.pullEnds(of: session) }
            }
        }
    }

    /// Whether there is a connection and the session has not been released.
    private func isCurrent(_ session: SessionCore) -> Bool {
        line != nil && sessions[session.identifier] === session
    }

    private func isFinal(_ error: OffstageError) -> Bool { [.inUse, .badRequest].contains(error.code) }

    /// Refuses the session, which is not requested again: the process that has it keeps it.
    private func refuse(_ session: SessionCore, _ error: OffstageError) {
        sessions[session.identifier] = nil
        session.refused(error)
    }
}
