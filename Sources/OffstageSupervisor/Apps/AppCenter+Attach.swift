// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol
import OffstageRuntime

/// Processes that put themselves on stage, and their reports.
extension AppCenter {
    /// Puts a connection's process on stage.
    ///
    /// - Parameters:
    ///   - request: the process's description of itself.
    ///   - connection: its stage link.
    ///   - process: the peer's number.
    ///   - pidfd: the peer itself, or -1; closed here.
    /// - Returns: the reason for its launch, once it is its app's only process.
    /// - Throws: `WireFailure` if it is refused, or its program cannot be identified.
    package func attach(
        _ request: AttachApp,
        connection: ConnectionID,
        process: Int32,
        pidfd: Int32
    ) async throws -> AttachApp.Reply {
        let peer = PeerPidfd(pidfd)
        let view = try request.view.checked()
        guard stages.beginAttaching(connection) else {
            throw WireFailure(.badRequest, "This connection is already an app's stage.")
        }
        do {
            let variables = settings.launchEnvironment
            let read = await waiting.patiently { [host, crashes = launches.crashes] in
                PeerProgram.looking(at: process, peer, crashes) { pidfd in
                    host.facts(of: process, pidfd: pidfd, variables: variables)
                }
            }
            await waitUntilReady()
            guard let read else { throw readiness.isStopping ? WireFailure.isStopping : .tooSlowProgram }
            guard let facts = read else { throw WireFailure.unknownProcess }
            return try await attach(facts, view, to: registered(facts), connection: connection)
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
        // The daemon's own launch may still be under way: its process is identified by its number.
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
        work.reportNumbers(of: view)
        send(.attached(facts.process, view), to: app)
        // Only once the process's owner is durable: otherwise the next daemon would launch a second process.
        let isDecided = await waiting.wait(
            for: .app(app) { app in
                guard app.newcomer?.stage.identity == facts.process else { return !app.life.owesProcess }
                return app.newcomer?.isRefused == true
            }
        )
        guard isDecided else { throw WireFailure.isStopping }
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

    /// Handles a new process becoming its app's process: later launches repeat the way in which it was started.
    func attached(_ newcomer: Newcomer, to app: SupervisedApp) {
        stages.give(newcomer.connection, to: app)
        let facts = newcomer.facts
        app.life.learn(executable: facts.executable, information: facts.information, launch: facts.launch)
        persist(app)
    }

    /// Sends waiting commands after the reply, which is on its way, and handles waiting reports.
    package func answered(_ connection: ConnectionID) {
        for report in stages.answered(connection) { receive(report, connection) }
    }

    // MARK: Reports

    /// Handles a report that has just been read.
    package func reported(_ payload: [UInt8], _ connection: ConnectionID) {
        guard payload.count <= StageBudget().report else { return stages.hangUp(connection) }
        let report = Doing.named(.request, .answering, "stage report") {
            try? WireCoding.decode(StageReport.self, from: payload, values: 5000).checked()
        }
        // The report is damaged or of another version: later ones cannot be trusted either.
        guard let report else { return stages.hangUp(connection) }
        // Its times are on the machine's clock.
        let shifted = report.shifted(by: clock.lead.seconds)
        switch stages.keep(shifted, bytes: payload.count, of: connection) {
        case .waits: break
        case .counts: receive(shifted, connection)
        // The process connects again, and reports everything with its view.
        case .tooMany: stages.hangUp(connection)
        }
    }

    private func receive(_ report: StageReport, _ connection: ConnectionID) {
        guard let app = stages.app(of: connection) else { return }
        if case .state(let state) = report { app.reported = state }
        send(.report(report), to: app)
    }

    /// Handles the end of a connection.
    package func connectionEnded(_ connection: ConnectionID) {
        guard !readiness.isStopping else { return }
        waiting.ended(connection)
        switch stages.ended(connection) {
        case .stage(let app): send(.disconnected, to: app)
        case .attaching:
            for app in apps.values where app.newcomer?.connection == connection {
                app.newcomer = nil
                waiting.happened(to: app)
            }
        case .other: break
        }
    }

    // MARK: Other connections

    /// The program that sends a request over a connection on which it is not on stage.
    ///
    /// - Parameters:
    ///   - process: the peer's number.
    ///   - pidfd: the peer itself, or -1; closed here.
    /// - Returns: nil if it cannot be identified.
    func facts(ofProcess process: Int32, pidfd: Int32) async -> AppFacts? {
        let (variables, peer) = (settings.launchEnvironment, PeerPidfd(pidfd))
        return await waiting.patiently { [host] in
            host.facts(of: process, pidfd: peer.take(), variables: variables)
        } ?? nil
    }

    /// Registers the program's app if necessary, and returns when that is durable; false if the daemon stops first.
    func register(_ facts: AppFacts) async -> Bool {
        await waitUntilReady()
        return await waitUntilDurable(registered(facts))
    }
}

extension WireFailure {
    /// The program is unknown: its inspection has not ended, or not begun.
    fileprivate static var tooSlowProgram: WireFailure {
        WireFailure(
            .notApplicable,
            "The program does not respond when the daemon looks at it: check that its file system is mounted."
        )
    }

    fileprivate static func secondProcess(of app: String) -> WireFailure {
        WireFailure(
            .inUse,
            "Another process of the app \(app.redactedControls) is already running: only one at a time is on stage."
        )
    }
}
