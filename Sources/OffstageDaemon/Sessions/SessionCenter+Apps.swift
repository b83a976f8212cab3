// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTransfers

/// What apps are called for, and what is withheld from them until they have been.
extension SessionCenter {
    /// Names who is told, on the loop, when sessions need their apps; before `start`.
    func setAppSink(_ sink: @escaping @Sendable (AppNotice) -> Void) { appSink = sink }

    /// Tasks of an app that have not ended.
    func outstanding(of app: String) -> Int { wakes.outstanding(of: app) }

    /// The same of each app that has any.
    var outstandingByApp: [String: Int] { wakes.outstandingByApp }

    /// From now on the app is told nothing of its sessions: it is stopped, or launched and has not been told what for.
    /// Progress is dropped; ends and questions come once they may.
    func withhold(_ app: String) {
        withheld.withhold(app)
        for session in holders.sessions(of: app) { questions.suspended(session) }
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
                holders.sessions(of: app).filter { withheld.contains($0) }
            }
        let former = withheld
        withheld.deliver(app, session: identifier)
        for session in sessions where holders.holder(of: session) != nil {
            if former.contains(session) { questions.opened(session) }
            loop.startTask {
                await ask(session)
                guard !withheld.contains(session), let holder = holders.holder(of: session) else { return }
                send?(.missed(session: session.identifier), holder)
            }
        }
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

    /// Cancels all that the app has handed over, because the person quit it; what its processes have still to hand over
    /// follows when they have ended.
    ///
    /// - Returns: how many tasks were cancelled; durable.
    func cancelAllForQuit(_ app: String) async -> Int {
        let processes = Set(clients.values.lazy.map(\.identity).filter { $0.app == app }.map(\.process))
        for process in processes { cancelRest(of: process, app) }
        return await queue.cancelAllForQuit(app)
    }

    private func cancelRest(of process: ProcessIdentity, _ app: String) {
        loop.startTask {
            while isConnected(process) || leftProcesses[process] != nil {
                await wait(for: .left(process))
                if isStopping { return }
            }
            // A process that was launched since hands nothing over before all this was taken in.
            _ = await queue.cancelAllForQuit(app)
        }
    }

    // MARK: Calling apps

    /// Calls the apps for what the daemon before left, once what they handed over to that is in the store.
    func beginCalling() async {
        // An app that was stopped in the middle of handing over keeps its journal until it is continued, which may be
        // by just this call. Called too early, it finds nothing new.
        loop.startTask {
            for app in leftJournals.keys { await waitForImports(of: app) }
            happened(.mayCall)
        }
        loop.startTask {
            await queue.wait(seconds: Self.patienceWithImports)
            happened(.mayCall)
        }
        await wait(for: .mayCall)
        while !isStopping {
            do throws(StoreError) {
                let waiting = try await store.sessionsThatNeedTheirApp()
                for notice in wakes.begin(waiting: waiting) { tell(notice) }
                return
            } catch {
                log(error.sentence)
                await queue.wait(seconds: 1)
            }
        }
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

    /// The delegate has heard of ends: the app may have all that it was called for.
    func acknowledged(_ sessions: Set<SessionName>) {
        for session in sessions where wakes.lookUp(session) != nil { loop.startTask { await lookUp(session) } }
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
