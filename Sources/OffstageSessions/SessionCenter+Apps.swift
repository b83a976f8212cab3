// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageRuntime

/// What apps are called for, and what is withheld from them until they have been.
extension SessionCenter: AppSessions {
    /// Names who is told, on the loop, when sessions need their apps; before `start`.
    func setAppSink(_ sink: @escaping @Sendable (AppNotice) -> Void) { appSink = sink }

    /// Tasks of an app that have not ended.
    func outstanding(of app: String) -> Int { wakes.outstanding(of: app) }

    /// The same of each app that has any.
    var outstandingByApp: [String: Int] { wakes.outstandingByApp }

    /// From now on the app is told nothing of its sessions: it is stopped, or launched and has not been told what for.
    /// Progress is dropped; ends and questions come once they may.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - process: its process on stage; nil for one that is just being launched.
    func withhold(_ app: String, from process: ProcessIdentity?) {
        let others = Set(clients.values.lazy.map(\.identity).filter { $0.app == app }.map(\.process))
        withheld.withhold(app, from: process, others: others)
        for session in holders.sessions(of: app) where isWithheld(session) {
            questions.suspended(session)
            lost(session)
        }
    }

    func isWithheld(_ session: SessionName) -> Bool {
        withheld.contains(session, holder: holders.process(of: session))
    }

    /// Takes in what the app has handed over and not told of: it may have been stopped between the two, and what it was
    /// promised goes on without it.
    func takeInUntold(of app: String) {
        for (connection, client) in clients where client.identity.app == app { rung(connection) }
    }

    /// As `takeInUntold`; returns when it is done.
    private func catchUp(_ app: String) async {
        takeInUntold(of: app)
        for journal in clients.values.map(\.journal) where journal.app == app {
            while journal.life.isBusy, !isStopping {
                await wait(for: .rested(journal: journal.name)) { journal.life.isBusy }
            }
        }
        await waitForImports(of: app)
    }

    /// Whoever had the session does not hear what it was sent, or has it no more: the app is called for what it has not
    /// acknowledged, where it was not before.
    func lost(_ session: SessionName) {
        wakes.lost(session)
        guard wakes.lookUp(session) != nil else { return }
        loop.startTask {
            await catchUp(session.app)
            await lookUp(session)
        }
    }

    /// The app may hear of one of its sessions, or of all when there is none named: first what its tasks wait for, then
    /// that it can fetch what has ended.
    ///
    /// A named session is told even when nothing was withheld from it: after `handleEventsForBackgroundURLSession` its
    /// library waits for that.
    func deliver(_ app: String, session identifier: String?) {
        let sessions =
            if let identifier {
                [SessionName(app: app, identifier: identifier)]
            } else {
                holders.sessions(of: app).filter { isWithheld($0) }
            }
        let former = Set(sessions.filter { isWithheld($0) })
        withheld.deliver(app, session: identifier)
        for session in sessions where !isWithheld(session) {
            guard let holder = holders.holder(of: session) else { continue }
            if former.contains(session) { questions.opened(session) }
            guard questions.hasAny(in: session) || asking[session] != nil else {
                // At once: the app may say that it has handled its events, and be stopped, before anything else is done.
                send?(.missed(session: session.identifier), holder)
                continue
            }
            loop.startTask {
                await ask(session)
                guard !isWithheld(session), let holder = holders.holder(of: session) else { return }
                send?(.missed(session: session.identifier), holder)
            }
        }
    }

    /// The app is just being told to handle the session's events.
    func told(_ app: String, session identifier: String) {
        wakes.told(SessionName(app: app, identifier: identifier))
    }

    /// The app has called the completion handler of the session's events, or is not called for them any more. A daemon
    /// that starts anew does not call it again for the same.
    func handled(_ app: String, session identifier: String) {
        let session = SessionName(app: app, identifier: identifier)
        let (isLasting, next) = wakes.handled(session)
        tell(next)
        loop.startTask {
            if isLasting { _ = await queue.commit(.sessionAnnounced(session)) }
            await lookUp(session)
        }
    }

    // MARK: Calling apps

    /// Calls the apps for what the daemon before left, once what they handed over to that is in the store.
    func beginCalling() async {
        // An app that was stopped in the middle of handing over keeps its journal until it is continued, which may be
        // by just this call. Called too early, it finds nothing new.
        loop.startTask {
            for app in leftJournals.keys { await waitForImports(of: app) }
            callsMayBegin()
        }
        loop.startTask {
            await loop.sleep(seconds: Self.patienceWithImports)
            callsMayBegin()
        }
        await wait(for: .mayCall) { !mayCall }
        guard !isStopping else { return }
        let waiting = await trouble.waitOut(.reading, unless: { isStopping }) { () throws(StoreError) in
            try await store.sessionsThatNeedTheirApp()
        }
        if let waiting { for notice in wakes.begin(waiting: waiting) { tell(notice) } }
    }

    private func callsMayBegin() {
        mayCall = true
        happened(.mayCall)
    }

    /// Seconds.
    private static var patienceWithImports: Double { 2 }

    func tell(_ notice: SessionWakes.Notice?) {
        switch notice {
        case .needsApp(let session)?: appSink?(.needsApp(app: session.app, session: session.identifier))
        case .settled(let session)?: appSink?(.settled(app: session.app, session: session.identifier))
        case nil: break
        }
    }

    /// Delegates have heard of ends: their apps may have all that they were called for.
    func lookUpAcknowledged() async {
        let sessions = acknowledged
        acknowledged = []
        for session in sessions { await lookUp(session) }
    }

    /// A task does not wait for its app's decision any more.
    func settle(_ id: TransferID, in session: SessionName) {
        questions.settled(id, in: session)
        tell(wakes.decided(id, in: session))
        if wakes.lookUp(session) != nil { loop.startTask { await lookUp(session) } }
    }

    /// Looks whether there are ends that the app has not been told, where that decides whether it is called.
    private func lookUp(_ session: SessionName) async {
        guard let number = wakes.lookUp(session) else { return }
        // Without an answer the app is called rather than not.
        let ends = try? await store.pendingEnds(session.identifier, of: session.app, after: nil, limit: 1)
        tell(wakes.lookedUp(session, hasEnds: ends?.isEmpty != true, number: number))
    }
}
