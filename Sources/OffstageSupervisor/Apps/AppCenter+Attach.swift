// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
package import OffstageProtocol
import OffstageRuntime

/// Processes that put themselves on stage, and what they report from then on.
extension AppCenter {
    /// Puts a connection's process on stage.
    ///
    /// - Parameters:
    ///   - request: how the process sees itself.
    ///   - connection: its stage link.
    ///   - process: the peer's number.
    ///   - pidfd: the peer itself, or -1; closed here.
    /// - Returns: once it is its app's one process, what it was launched for.
    /// - Throws: `WireFailure` when it is refused, or nobody can tell which program it is.
    package func attach(
        _ request: AttachApp,
        connection: ConnectionID,
        process: Int32,
        pidfd: Int32
    ) async throws -> AttachApp.Reply {
        guard stages[connection] == nil, attaching[connection] == nil else {
            if pidfd >= 0 { close(pidfd) }
            throw WireFailure(.badRequest, "This connection is an app's stage already.")
        }
        attaching[connection] = []
        heldCommands[connection] = []
        do {
            let variables = settings.launchEnvironment
            let crashes = crashes
            let read = await patiently(within: Self.patience) {
                PeerProgram.looking(at: process, crashes) {
                    AppFacts.read(process: process, pidfd: pidfd, variables: variables)
                }
            }
            await waitUntilReady()
            guard let facts = read ?? nil else { throw WireFailure.unknownProcess }
            let app = registered(facts)
            return try await attach(facts, request.view, to: app, connection: connection)
        } catch {
            attaching[connection] = nil
            heldCommands[connection] = nil
            throw error
        }
    }

    /// The app, which is registered now if it was not.
    func registered(_ facts: AppFacts) -> SupervisedApp {
        if let app = apps[facts.app] { return app }
        let registration = AppRegistration(
            id: facts.app,
            executable: facts.executable,
            information: facts.information,
            launch: facts.launch
        )
        return register(registration)
    }

    func register(_ registration: AppRegistration) -> SupervisedApp {
        let app = SupervisedApp(AppLife(registration, policy: policy(of: registration.id)))
        apps[app.id] = app
        record(AppEntry(at: clock.now(), .registered), of: app)
        persist(app)
        return app
    }

    private func attach(
        _ facts: AppFacts,
        _ view: StageView,
        to app: SupervisedApp,
        connection: ConnectionID
    ) async throws -> AttachApp.Reply {
        // The daemon's own launch may be under way still: its process is known by its number.
        await wait(.app(app) { $0.launchesUnderWay == 0 }, for: connection)
        guard attaching[connection] != nil else { throw WireFailure.unknownProcess }
        if let known = app.process, known.identity == facts.process {
            take(connection, for: known, of: app)
        } else {
            guard let process = AppProcess.open(facts.process) else { throw WireFailure.unknownProcess }
            guard app.newcomer == nil else { throw Self.secondProcess(app.id) }
            let stage = StageProcess(process, connection: connection)
            app.newcomer = Newcomer(stage, facts: facts, connection: connection)
        }
        if let highest = (view.runningTasks.keys + view.completedTasks.map(\.number)).max() { numberSink?(highest) }
        tell(.attached(facts.process, view), to: app)
        // Not before it is durable whose process it is: a daemon after this one would launch a second.
        await wait(
            .app(app) { app in
                guard app.newcomer?.stage.identity == facts.process else { return !app.life.owesProcess }
                return app.newcomer?.isRefused == true
            }
        )
        if app.newcomer?.stage.identity == facts.process {
            app.newcomer = nil
            throw Self.secondProcess(app.id)
        }
        guard let stage = app.process, stage.identity == facts.process, stage.connection == connection else {
            throw WireFailure.unknownProcess
        }
        return AttachApp.Reply(
            app: app.id,
            launch: app.life.launchCause ?? .person,
            timeEnds: app.life.timeEnds,
            allowsRefresh: settings.taskPolicy.allowsRefresh(app.id),
            entersBackground: settings.entersBackgroundAtLaunch
        )
    }

    private static func secondProcess(_ app: String) -> WireFailure {
        WireFailure(
            .inUse,
            "Another process of the app \(app.redactedControls) is already running: only one at a time is on stage."
        )
    }

    /// The connection is from now on the process's.
    private func take(_ connection: ConnectionID, for stage: StageProcess, of app: SupervisedApp) {
        if let older = stage.connection {
            stages[older] = nil
            stage.connection = nil
            hangUp?(older)
        }
        stage.connection = connection
        stages[connection] = app
    }

    /// A newcomer has become its app's process: how it was started is how it is launched again.
    func attached(_ newcomer: Newcomer, to app: SupervisedApp) {
        stages[newcomer.connection] = app
        let facts = newcomer.facts
        app.life.learn(executable: facts.executable, information: facts.information, launch: facts.launch)
        persist(app)
    }

    /// The reply is on its way: what was to be told meanwhile comes after it, and what was reported counts now.
    package func answered(_ connection: ConnectionID) {
        for command in heldCommands.removeValue(forKey: connection) ?? [] { send?(command, connection) }
        for report in attaching.removeValue(forKey: connection) ?? [] { take(report, connection) }
    }

    // MARK: Reports

    /// A report that has just been read.
    package func reported(_ payload: [UInt8], _ connection: ConnectionID) {
        let report = Doing.named(.request, .answering, "stage report") {
            try? WireCoding.decode(StageReport.self, from: payload, values: 5000)
        }
        guard let report else {
            // Of another version, or damaged: what it says next cannot be trusted either.
            hangUp?(connection)
            return
        }
        // What it says of times it knows from the machine's clock.
        let shifted = report.shifted(by: clock.lead.seconds)
        if attaching[connection] != nil {
            attaching[connection]?.append(shifted)
        } else {
            take(shifted, connection)
        }
    }

    private func take(_ report: StageReport, _ connection: ConnectionID) {
        guard let app = stages[connection], app.process?.connection == connection else { return }
        if case .state(let state) = report { app.reported = state }
        tell(.report(report), to: app)
    }

    /// A connection is gone.
    package func connectionEnded(_ connection: ConnectionID) {
        guard !isStopping else { return }
        let wasAttaching = attaching.removeValue(forKey: connection) != nil
        heldCommands[connection] = nil
        stopWaiting(for: connection)
        if let app = stages.removeValue(forKey: connection), app.process?.connection == connection {
            app.process?.connection = nil
            return tell(.disconnected, to: app)
        }
        guard wasAttaching else { return }
        for app in apps.values where app.newcomer?.connection == connection {
            app.newcomer = nil
            happened(to: app)
        }
    }
}
