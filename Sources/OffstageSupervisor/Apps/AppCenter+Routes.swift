// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol
import OffstageRuntime

/// People's requests about apps.
extension AppCenter {
    /// How many apps are in each state.
    package var states: Tally<LifeState> { apps.states }

    /// The rows of all apps, unordered.
    package func list() async -> [AppRow] {
        await waitUntilReady()
        let outstanding = sessions.outstandingByApp
        return apps.values.map { $0.row(outstanding: outstanding[$0.id] ?? 0) }
    }

    package func show(_ request: ShowApp) async throws -> ShowApp.Reply {
        let app = try await app(request.app)
        let path = app.life.registration.executable
        let look = await waiting.patiently { AppExecutable.problem(at: path) }
        let problem: String? = if let look { look } else { AppExecutable.noAnswer(at: path) }
        return app.details(
            row: row(app),
            reveals: request.reveals == true,
            now: clock.now(),
            logPath: launches.logPath(of: app.id),
            problem: problem,
            container: launches.container(of: app.id)
        )
    }

    package func story(_ request: ReadAppStory) async throws -> ReadAppStory.Reply {
        let app = try await app(request.app)
        // The story must contain everything that was answered, so pending entries are written first.
        _ = await waitUntilDurable(app)
        let limit = min(max(request.limit, 1), 5000)
        return ReadAppStory.Reply(
            entries: try await records.entries(of: app.id, after: request.after, limit: limit)
        )
    }

    package func install(_ request: InstallApp) async throws -> InstallApp.Reply {
        guard request.path.hasPrefix("/"), request.workingDirectory.hasPrefix("/") else {
            throw WireFailure(.badRequest, "The paths of an app and of its working directory must be absolute.")
        }
        let path = request.path
        // A person requested this, and may repeat it, so nothing is set aside.
        let located = await waiting.patiently {
            Doing.named(.request, .installing, InstallApp.name) {
                Result { () throws(BundleError) in try BundleFacts.locate(path) }
            }
        }
        guard let located else {
            throw WireFailure(.notApplicable, AppExecutable.noAnswer(at: path))
        }
        let facts = try located.mapError { WireFailure(.badRequest, $0.sentence) }.get()
        await waitUntilReady()
        let launch = AppRegistration.Launch(
            arguments: request.arguments,
            workingDirectory: request.workingDirectory,
            environment: LaunchEnvironment.allowed(request.environment, additional: settings.launchEnvironment)
        )
        let known = apps[facts.id]
        let app = known ?? register(facts.registration(launch: launch))
        if known != nil {
            app.life.learn(executable: facts.executable, information: facts.information, launch: launch)
            persist(app)
        }
        guard await waitUntilDurable(app) else { throw WireFailure.isStopping }
        return InstallApp.Reply(app: facts.id, isNew: known == nil)
    }

    package func act(_ request: ActOnApp, connection: ConnectionID) async throws -> ActOnApp.Reply {
        let app = try await app(request.app)
        let verb = request.verb
        if verb == .remove {
            try await remove(app)
            return ActOnApp.Reply(row: nil, cancelledTransfers: 0)
        }
        if verb.triesOnceMore { launches.crashes.release(.app(app.id)) }
        let event = try verb.event(for: app, keepsTransfers: settings.keepTransfersOnQuit)
        app.cancelled = 0
        app.launchFailure = nil
        // An app in the background does not report its state again.
        if app.life.state != .background { app.reported = nil }
        let endings = app.endings
        send(event, to: app)
        let isUnderWay = await waiting.wait(
            for: .app(app) { self.records.isDurable($0) && $0.launchesUnderWay == 0 && !$0.isCancelling }
        )
        guard isUnderWay else { throw WireFailure.isStopping }
        if let failure = app.launchFailure { throw WireFailure(.notApplicable, failure) }
        if request.waits {
            let hasCome = await waiting.wait(
                for: .app(app) { verb.isDone(by: $0, endings: endings) },
                of: connection,
                within: ActOnApp.Verb.answerTime
            )
            if !hasCome, let failure = verb.failure(of: app) { throw failure }
        }
        return ActOnApp.Reply(row: row(app), cancelledTransfers: app.cancelled)
    }

    private func remove(_ app: SupervisedApp) async throws {
        guard app.life.state == .terminated, app.process == nil, app.launchesUnderWay == 0 else {
            throw WireFailure(.notApplicable, "The app \(app.id) is running: terminate it first.")
        }
        let id = app.id
        apps[id] = nil
        app.isForgotten = true
        agenda.setLook(at: nil, of: id)
        work.removal?(id)
        guard await records.delete(id) else { throw WireFailure.isStopping }
        launches.removeLog(of: id)
    }

    func app(_ id: String) async throws -> SupervisedApp {
        await waitUntilReady()
        guard let app = apps[id] else {
            throw WireFailure(
                .notFound,
                "There is no app \(id.redactedControls): see 'offstage app list', or install it."
            )
        }
        return app
    }

    private func row(_ app: SupervisedApp) -> AppRow { app.row(outstanding: sessions.outstanding(of: app.id)) }
}

extension WireFailure {
    static var isStopping: WireFailure { WireFailure(.shuttingDown, "The daemon is stopping: try again.") }
}
