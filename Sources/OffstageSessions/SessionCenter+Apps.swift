// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageRuntime

/// Calls apps for their sessions, and withholds events from them until then.
extension SessionCenter: AppSessions {
    /// Sets the handler that is called, on the loop, when sessions need their apps; before `start`.
    func setAppSink(_ sink: @escaping @Sendable (AppNotice) -> Void) { calls.start(sink) }

    /// The number of unfinished tasks of an app.
    func outstanding(of app: String) -> Int { calls.outstanding(of: app) }

    /// The number of unfinished tasks of each app that has any.
    var outstandingByApp: [String: Int] { calls.outstandingByApp }

    /// Withholds the events of the app's sessions from now on: the app is stopped, or it was launched and has not been
    /// given the reason yet. Progress is dropped; ends and questions are sent once that is allowed.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - process: its process on stage; nil while it is being launched.
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

    /// Accepts records that the app wrote without ringing: it may have been stopped between the two, and its tasks
    /// continue without it.
    func acceptUnannounced(of app: String) {
        for journal in links.journals(of: app) { intake.rung(journal) }
    }

    /// Like `takeInUntold`, but returns when it is done.
    private func catchUp(_ app: String) async {
        acceptUnannounced(of: app)
        for journal in links.journals(of: app) { await intake.waitForRest(of: journal) }
        await intake.waitForImports(of: app)
    }

    /// Handles a session whose former holder did not receive the events, or no longer holds it: the app is called for
    /// events that it has not acknowledged, unless it has already been called for them.
    func lost(_ session: SessionName) {
        calls.lost(session)
        guard calls.lookUp(session) != nil else { return }
        loop.startTask {
            await catchUp(session.app)
            await lookUp(session)
        }
    }

    /// Allows the app to receive the events of one of its sessions, or of all if there is no name. The questions of its
    /// tasks are sent first, and then the notice that it can request the ends.
    ///
    /// A named session is notified even if nothing was withheld from it, because its library waits for that after
    /// `handleEventsForBackgroundURLSession`.
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
                // Immediately, because the app may report that it has handled its events, and be stopped, before
                // anything else happens.
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

    /// Records that the app is being asked to handle the session's events.
    func notified(_ app: String, session identifier: String) {
        calls.notified(SessionName(app: app, identifier: identifier))
    }

    /// Records that the app has called the completion handler of the session's events, or is no longer called for them.
    /// The next daemon does not call it again for the same events.
    func handled(_ app: String, session identifier: String) {
        let session = SessionName(app: app, identifier: identifier)
        let isLasting = calls.handled(session)
        loop.startTask {
            if isLasting, case .refused(let refusal) = await queue.commit(.sessionAnnounced(session)) {
                trouble.giveUp(refusal)
            }
            await lookUp(session)
        }
    }

    // MARK: Calling apps

    /// Calls the apps for events from the daemon before, once everything that they handed over to it is in the store.
    func beginCalling() async {
        // An app that was stopped while handing over keeps its journal until it continues, which this very call may
        // cause. If it is called too early, it finds nothing new.
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

    /// The longest wait for imports, in seconds.
    private static var patienceWithImports: Double { 2 }

    /// Checks sessions whose delegates have received ends: their apps may have received everything that they were
    /// called for.
    func lookUpAcknowledged() async {
        for session in calls.takeAcknowledged() { await lookUp(session) }
    }

    /// Records that a task no longer waits for its app's decision.
    func settle(_ id: TransferID, in session: SessionName) {
        questions.settled(id, in: session)
        calls.decided(id, in: session)
        if calls.lookUp(session) != nil { loop.startTask { await lookUp(session) } }
    }

    /// Checks for ends that the app has not received, if that decides whether the app is called.
    private func lookUp(_ session: SessionName) async {
        guard let number = calls.lookUp(session) else { return }
        // If the store fails, it is better to call the app.
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
