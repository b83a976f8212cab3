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
        guard stages.beginAttaching(connection) else {
            if pidfd >= 0 { close(pidfd) }
            throw WireFailure(.badRequest, "This connection is an app's stage already.")
        }
        do {
            let variables = settings.launchEnvironment
            let crashes = crashes
            let read = await waiting.patiently { [host] in
                PeerProgram.looking(at: process, crashes) {
                    host.facts(of: process, pidfd: pidfd, variables: variables)
                }
            }
            await waitUntilReady()
            guard let facts = read ?? nil else { throw WireFailure.unknownProcess }
            return try await attach(facts, request.view, to: registered(facts), connection: connection)
        } catch {
            stages.refuse(connection)
            throw error
        }
    }

    private func attach(
        _ facts: AppFacts,
        _ view: StageView,
        to app: SupervisedApp,
        connection: ConnectionID
    ) async throws -> AttachApp.Reply {
        // The daemon's own launch may be under way still: its process is known by its number.
        await waiting.wait(for: .app(app) { $0.launchesUnderWay == 0 }, of: connection)
        guard stages.isAttaching(connection) else { throw WireFailure.unknownProcess }
        if let known = app.process, known.identity == facts.process {
            stages.give(connection, to: known, of: app)
        } else {
            guard let process = host.hold(facts.process) else { throw WireFailure.unknownProcess }
            guard app.newcomer == nil else { throw WireFailure.secondProcess(of: app.id) }
            let stage = StageProcess(process, connection: connection)
            app.newcomer = Newcomer(stage, facts: facts, connection: connection)
        }
        work.tellNumbers(of: view)
        tell(.attached(facts.process, view), to: app)
        // Not before it is durable whose process it is: a daemon after this one would launch a second.
        await waiting.wait(
            for: .app(app) { app in
                guard app.newcomer?.stage.identity == facts.process else { return !app.life.owesProcess }
                return app.newcomer?.isRefused == true
            }
        )
        if app.newcomer?.stage.identity == facts.process {
            app.newcomer = nil
            throw WireFailure.secondProcess(of: app.id)
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

    /// A newcomer has become its app's process: how it was started is how it is launched again.
    func attached(_ newcomer: Newcomer, to app: SupervisedApp) {
        stages.give(newcomer.connection, to: app)
        let facts = newcomer.facts
        app.life.learn(executable: facts.executable, information: facts.information, launch: facts.launch)
        persist(app)
    }

    /// The reply is on its way: what was to be told meanwhile comes after it, and what was reported counts now.
    package func answered(_ connection: ConnectionID) {
        for report in stages.answered(connection) { take(report, connection) }
    }

    // MARK: Reports

    /// A report that has just been read.
    package func reported(_ payload: [UInt8], _ connection: ConnectionID) {
        let report = Doing.named(.request, .answering, "stage report") {
            try? WireCoding.decode(StageReport.self, from: payload, values: 5000)
        }
        // Of another version, or damaged: what it says next cannot be trusted either.
        guard let report else { return stages.hangUp(connection) }
        // What it says of times it knows from the machine's clock.
        let shifted = report.shifted(by: clock.lead.seconds)
        if !stages.keeps(shifted, of: connection) { take(shifted, connection) }
    }

    private func take(_ report: StageReport, _ connection: ConnectionID) {
        guard let app = stages.app(of: connection) else { return }
        if case .state(let state) = report { app.reported = state }
        tell(.report(report), to: app)
    }

    /// A connection is gone.
    package func connectionEnded(_ connection: ConnectionID) {
        guard !readiness.isStopping else { return }
        waiting.ended(connection)
        switch stages.ended(connection) {
        case .stage(let app): tell(.disconnected, to: app)
        case .attaching:
            for app in apps.values where app.newcomer?.connection == connection {
                app.newcomer = nil
                waiting.happened(to: app)
            }
        case .other: break
        }
    }

    // MARK: Other connections

    /// Which program asks for something without being on stage on that connection.
    ///
    /// - Parameters:
    ///   - process: the peer's number.
    ///   - pidfd: the peer itself, or -1; closed here.
    /// - Returns: nil when nobody can tell.
    func facts(ofProcess process: Int32, pidfd: Int32) async -> AppFacts? {
        let variables = settings.launchEnvironment
        let read = await waiting.patiently { [host] in
            host.facts(of: process, pidfd: pidfd, variables: variables)
        }
        return read ?? nil
    }

    /// Registers the program's app if it is not, and returns when that is durable; false when the daemon ends first.
    func register(_ facts: AppFacts) async -> Bool {
        await waitUntilReady()
        return await waitUntilDurable(registered(facts))
    }
}

extension WireFailure {
    fileprivate static func secondProcess(of app: String) -> WireFailure {
        WireFailure(
            .inUse,
            "Another process of the app \(app.redactedControls) is already running: only one at a time is on stage."
        )
    }
}
