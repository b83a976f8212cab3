// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// How a session is taken up: first who has it, then what ended while nobody listened, then what is still under way.
extension HubLoop {
    func open(_ session: SessionCore) {
        ask(OpenSession(identifier: session.identifier)) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let standing):
                let needsListing = session.opened(highestTask: standing.highestTask)
                if standing.pendingEnds > 0 {
                    session.endsPending()
                    pullEnds(of: session)
                } else {
                    session.noEndsPending()
                }
                guard needsListing else { return }
                if standing.outstanding > 0 { list(session, after: 0) } else { session.listed([], isLast: true) }
            case .failure(let error):
                // A connection that broke is followed by another, over which this is asked again.
                if error.code != .connectionLost { session.refused(error) }
            }
        }
    }

    private func list(_ session: SessionCore, after task: Int) {
        ask(ListSessionTasks(identifier: session.identifier, after: task)) { [weak self] result in
            guard case .success(let page) = result else { return }
            session.listed(page.rows, isLast: !page.hasMore)
            if page.hasMore, let last = page.rows.last { self?.list(session, after: last.task) }
        }
    }

    /// Fetches the next page of ended tasks, one at a time.
    func pullEnds(of session: SessionCore) {
        guard let cursor = session.beginPull() else { return }
        ask(ListPendingEnds(identifier: session.identifier, after: cursor.last)) { result in
            guard case .success(let page) = result else { return session.pullFailed() }
            session.pulled(page.ends, hasMore: page.hasMore)
        }
        if connection == nil { session.pullFailed() }
    }
}
