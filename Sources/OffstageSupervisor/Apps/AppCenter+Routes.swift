// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
package import OffstageProtocol
import OffstageRuntime

/// What people ask of apps.
extension AppCenter {
    /// In no order.
    package func list() async -> [AppRow] {
        await waitUntilReady()
        let outstanding = await sessions.outstandingByApp
        return apps.values.map { row($0, outstanding: outstanding[$0.id] ?? 0) }
    }

    package func show(_ request: ShowApp) async throws -> ShowApp.Reply {
        let app = try await app(request.app)
        let path = app.life.registration.executable
        let problem = await patiently(within: Self.patience) { Self.launchProblem(path) }
        let registration = app.life.registration
        let arguments = registration.launch.arguments
        let now = clock.now()
        return ShowApp.Reply(
            row: row(app),
            executable: registration.executable,
            information: registration.information,
            arguments: request.reveals == true ? arguments : arguments.map { _ in HeaderField.hidden },
            workingDirectory: registration.launch.workingDirectory,
            environmentNames: registration.launch.environment.keys.sorted(),
            backgroundTime: app.life.policy.time,
            tasks: app.life.tasks,
            timeEnds: app.life.timeEnds.map { now.wall.addingTimeInterval($0 - now.uptime) },
            delayedUntil: app.life.delayedUntil.map { now.wall.addingTimeInterval($0 - now.uptime) },
            logPath: logPath(of: app.id),
            suspendsBy: app.process?.cgroup != nil ? "freezer" : "signal",
            launchProblem: problem ?? nil,
            container: paths.container(of: app.id)
        )
    }

    /// Why an executable would not be launched; nil when nothing is known to be in the way. Blocking.
    private static func launchProblem(_ path: String) -> String? {
        do throws(LaunchError) {
            _ = try AppExecutable(path)
            return nil
        } catch {
            return error.sentence
        }
    }

    package func story(_ request: ReadAppStory) async throws -> ReadAppStory.Reply {
        let app = try await app(request.app)
        // What has been answered is told: an entry that is on its way comes first.
        _ = await waitUntilDurable(app)
        let limit = min(max(request.limit, 1), 5000)
        return ReadAppStory.Reply(
            entries: try await store.appEntries(of: app.id, after: request.after, limit: limit)
        )
    }

    package func install(_ request: InstallApp) async throws -> InstallApp.Reply {
        guard request.path.hasPrefix("/"), request.workingDirectory.hasPrefix("/") else {
            throw WireFailure(.badRequest, "The paths of an app and of its working directory must be absolute.")
        }
        let path = request.path
        // A person asks for it, and may do so again: nothing is set aside.
        let located = await patiently(within: Self.patience) {
            Doing.named(.request, .installing, InstallApp.name) {
                Result { () throws(BundleError) in try BundleFacts.locate(path) }
            }
        }
        guard let located else {
            throw WireFailure(
                .notApplicable,
                "\(path.redactedControls) does not respond: check that its file system is mounted."
            )
        }
        let facts = try located.mapError { WireFailure(.badRequest, $0.sentence) }.get()
        await waitUntilReady()
        let launch = AppRegistration.Launch(
            arguments: request.arguments,
            workingDirectory: request.workingDirectory,
            environment: LaunchEnvironment.allowed(request.environment, additional: settings.launchEnvironment)
        )
        let known = apps[facts.id]
        let app =
            known
            ?? register(
                AppRegistration(
                    id: facts.id,
                    executable: facts.executable,
                    information: facts.information,
                    launch: launch
                )
            )
        if known != nil {
            app.life.learn(executable: facts.executable, information: facts.information, launch: launch)
            persist(app)
        }
        guard await waitUntilDurable(app) else { throw Self.isShuttingDown }
        return InstallApp.Reply(app: facts.id, isNew: known == nil)
    }

    package func act(_ request: ActOnApp, connection: ConnectionID) async throws -> ActOnApp.Reply {
        let app = try await app(request.app)
        if request.verb == .remove {
            try await remove(app)
            return ActOnApp.Reply(row: nil, cancelledTransfers: 0)
        }
        switch request.verb {
        case .launch, .foreground: crashes.release(.app(app.id))
        default: break
        }
        let event = try event(for: request.verb, app)
        app.cancelled = 0
        app.launchFailure = nil
        // Behind already, it does not say so again.
        if app.life.state != .background { app.reported = nil }
        let endings = app.endings
        tell(event, to: app)
        let isUnderWay = await wait(
            .app(app) { app in
                self.isDurable(app) && app.launchesUnderWay == 0 && !app.isCancelling
            }
        )
        guard isUnderWay else { throw Self.isShuttingDown }
        if let failure = app.launchFailure { throw WireFailure(.notApplicable, failure) }
        if request.waits {
            let verb = request.verb
            let hasCome = await wait(
                .app(app) { Self.hasCome($0, verb, endings: endings) },
                for: connection,
                within: Self.answerTime
            )
            if !hasCome, let failure = Self.failure(app, verb) { throw failure }
        }
        return ActOnApp.Reply(row: row(app), cancelledTransfers: app.cancelled)
    }

    /// What a verb means for an app now.
    private func event(for verb: ActOnApp.Verb, _ app: SupervisedApp) throws(WireFailure) -> AppEvent {
        let isRunning = app.life.state != .terminated
        switch verb {
        case .launch(let inBackground):
            return .launch(inBackground ? .personInBackground : .person)
        case .foreground: return .foreground
        case .quit(let keepsTransfers):
            return .quit(keepsTransfers: keepsTransfers ?? settings.keepTransfersOnQuit)
        case .background, .terminate, .memoryWarning:
            guard isRunning else {
                throw WireFailure(.notApplicable, "The app \(app.id) does not run: launch it first.")
            }
            if verb == .memoryWarning, app.life.state == .suspended {
                throw WireFailure(.notApplicable, "The app \(app.id) is suspended and cannot be warned: terminate it.")
            }
            return verb == .background ? .background : verb == .terminate ? .terminate : .memoryWarning
        case .remove: throw WireFailure(.internalError, "An app is removed by another request.")
        }
    }

    /// Seconds after which a command is answered wherever its app is: a program that never connects, or a process that
    /// not even the kernel can end, would be waited for without end.
    private static let answerTime = BackgroundTimeProfile.launchTime

    /// What is said of an app that has not ended in time; nil for what else it was to do: where it is, is an answer.
    private static func failure(_ app: SupervisedApp, _ verb: ActOnApp.Verb) -> WireFailure? {
        switch verb {
        case .quit, .terminate:
            WireFailure(
                .notApplicable,
                "The app \(app.id.redactedControls) has not ended yet: check what its process \(app.processNumber ?? 0) waits for."
            )
        case .launch, .foreground, .background, .remove, .memoryWarning: nil
        }
    }

    /// Whether an app has come where it was sent, or has ended.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - verb: what was asked for.
    ///   - endings: how many of its processes had ended when it was asked for; what a session has called for since has
    ///     nothing to do with it.
    /// - Returns: whether it has.
    private static func hasCome(
        _ app: SupervisedApp,
        _ verb: ActOnApp.Verb,
        endings: Int
    ) -> Bool {
        let state = app.life.state
        if state == .terminated { return true }
        return switch verb {
        case .launch(false), .foreground: state == .active
        case .launch(true), .background:
            // One that nothing holds is on its way to its stop.
            state == .suspended
                || (state == .background && app.reported == .background && !app.life.isAboutToBeSuspended)
        case .quit, .terminate: app.endings > endings
        case .remove, .memoryWarning: true
        }
    }

    private func remove(_ app: SupervisedApp) async throws {
        guard app.life.state == .terminated, app.process == nil, app.launchesUnderWay == 0 else {
            throw WireFailure(.notApplicable, "The app \(app.id) runs: terminate it first.")
        }
        let (id, logPath) = (app.id, logPath(of: app.id))
        apps[id] = nil
        app.isForgotten = true
        forgetLook(of: id)
        removalSink?(id)
        note(.deleteApp(id))
        guard await ledger.untilDurable() else { throw Self.isShuttingDown }
        workers.submit { unlink(logPath) }
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

    private func row(_ app: SupervisedApp, outstanding count: Int? = nil) -> AppRow {
        AppRow(
            id: app.id,
            name: app.life.registration.information.name,
            state: app.life.state,
            isQuit: app.life.registration.isQuit,
            process: app.processNumber,
            since: app.since,
            outstanding: count ?? outstanding(of: app.id)
        )
    }

    private static var isShuttingDown: WireFailure {
        WireFailure(.shuttingDown, "The daemon is stopping: try again.")
    }
}
