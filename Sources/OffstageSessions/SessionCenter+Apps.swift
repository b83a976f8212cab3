// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageRuntime

/// What apps are called for, and what is withheld from them until they have been.
extension SessionCenter: AppSessions {
    /// Names who is told, on the loop, when sessions need their apps; before `start`.
    func setAppSink(_ sink: @escaping @Sendable (AppNotice) -> Void) { calls.start(sink) }

    /// Tasks of an app that have not ended.
    func outstanding(of app: String) -> Int { calls.outstanding(of: app) }

    /// The same of each app that has any.
    var outstandingByApp: [String: Int] { calls.outstandingByApp }

    /// From now on the app is told nothing of its sessions: it is stopped, or launched and has not been told what for.
    /// Progress is dropped; ends and questions come once they may.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - process: its process on stage; nil for one that is just being launched.
    func withhold(_ app: String, from process: ProcessIdentity?) {
        withheld.withhold(app, from: process, others: links.processes(of: app))
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
        for journal in links.journals(of: app) { intake.rung(journal) }
    }

    /// As `takeInUntold`; returns when it is done.
    private func catchUp(_ app: String) async {
        takeInUntold(of: app)
        for journal in links.journals(of: app) { await intake.waitForRest(of: journal) }
        await intake.waitForImports(of: app)
    }

    /// Whoever had the session does not hear what it was sent, or has it no more: the app is called for what it has not
    /// acknowledged, where it was not before.
    func lost(_ session: SessionName) {
        calls.lost(session)
        guard calls.lookUp(session) != nil else { return }
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
            guard questions.hasAny(in: session) || questions.isBeingLookedUp(session) else {
                // At once: the app may say that it has handled its events, and be stopped, before anything else is done.
                links.send(.missed(session: session.identifier), to: holder)
                continue
            }
            loop.startTask {
                await ask(session)
                guard !isWithheld(session), let holder = holders.holder(of: session) else { return }
                links.send(.missed(session: session.identifier), to: holder)
            }
        }
    }

    /// The app is just being told to handle the session's events.
    func told(_ app: String, session identifier: String) {
        calls.told(SessionName(app: app, identifier: identifier))
    }

    /// The app has called the completion handler of the session's events, or is not called for them any more. A daemon
    /// that starts anew does not call it again for the same.
    func handled(_ app: String, session identifier: String) {
        let session = SessionName(app: app, identifier: identifier)
        let isLasting = calls.handled(session)
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
            for app in intake.appsWithLeft { await intake.waitForImports(of: app) }
            callsMayBegin()
        }
        loop.startTask {
            await loop.sleep(seconds: Self.patienceWithImports)
            callsMayBegin()
        }
        await readiness.wait(for: .mayCall) { !calls.mayBegin }
        guard !readiness.isStopping else { return }
        let waiting = await trouble.waitOut(.reading, unless: { readiness.isStopping }) { () throws(StoreError) in
            try await store.sessionsThatNeedTheirApp()
        }
        if let waiting { calls.begin(waiting: waiting) }
    }

    private func callsMayBegin() {
        calls.mayBegin = true
        readiness.happened(.mayCall)
    }

    /// Seconds.
    private static var patienceWithImports: Double { 2 }

    /// Delegates have heard of ends: their apps may have all that they were called for.
    func lookUpAcknowledged() async {
        for session in calls.takeAcknowledged() { await lookUp(session) }
    }

    /// A task does not wait for its app's decision any more.
    func settle(_ id: TransferID, in session: SessionName) {
        questions.settled(id, in: session)
        calls.decided(id, in: session)
        if calls.lookUp(session) != nil { loop.startTask { await lookUp(session) } }
    }

    /// Looks whether there are ends that the app has not been told, where that decides whether it is called.
    private func lookUp(_ session: SessionName) async {
        guard let number = calls.lookUp(session) else { return }
        // Without an answer the app is called rather than not.
        let ends = try? await store.pendingEnds(session.identifier, of: session.app, after: nil, limit: 1)
        calls.lookedUp(session, hasEnds: ends?.isEmpty != true, number: number)
    }
}

extension SessionCenter: JournalSessions {
    func mayCancelAll(_ session: SessionName, process: ProcessIdentity?, hadIt: Bool) -> Bool {
        holders.mayCancelAll(session, process: process, hadIt: hadIt)
    }

    func decided(_ id: TransferID, _ answer: DelegateAnswer, app: String) async -> Bool {
        let session = questions.settled(id, of: app)
        let isCarriedOut = await queue.carryOut([(id: id, command: .answer(answer))], for: app)
        if let session {
            calls.decided(id, in: session)
            askNext(session)
        }
        return isCarriedOut
    }
}
