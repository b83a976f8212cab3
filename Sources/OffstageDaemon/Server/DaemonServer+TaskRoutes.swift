// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTransfers

/// The requests of deferred work: decode, one call, encode.
extension DaemonServer {
    /// Nil for a request that is not about tasks.
    func taskRoute(_ frame: WireFrame, connection: UInt64) async throws -> RouteAnswer? {
        func rows(_ reply: some Encodable & Sendable) async throws -> RouteAnswer {
            RouteAnswer(payload: try await encoded(reply))
        }
        func answer(_ reply: some Encodable) throws -> RouteAnswer {
            RouteAnswer(payload: try WireCoding.encode(reply))
        }
        switch frame.name {
        case SubmitTask.name:
            return try answer(try await tasks.submit(decode(SubmitTask.self, frame), of: client(connection)))
        case SetFetchInterval.name:
            return try answer(
                try await tasks.setFetchInterval(decode(SetFetchInterval.self, frame), of: client(connection))
            )
        case CancelTasks.name:
            try await tasks.cancel(decode(CancelTasks.self, frame), of: client(connection))
            return try answer(Empty())
        case PendingTasks.name:
            return try answer(PendingTasks.Reply(drafts: try await tasks.pendingDrafts(of: client(connection))))
        case TaskRules.name: return try answer(try await tasks.rules(of: client(connection)))
        case ListTasks.name: return try await rows(try await tasks.list(decode(ListTasks.self, frame)))
        case ShowTask.name: return try await rows(try await tasks.show(decode(ShowTask.self, frame)))
        case ForecastTasks.name: return try await rows(try await tasks.forecast(decode(ForecastTasks.self, frame)))
        case WatchTasks.name:
            return try await rows(await tasks.watch(decode(WatchTasks.self, frame), connection: connection))
        case CancelTask.name: return try answer(try await tasks.stop(decode(CancelTask.self, frame)))
        case SimulateTask.name: return try answer(try await tasks.simulate(decode(SimulateTask.self, frame)))
        case AdvanceTime.name:
            try requireTestHome()
            return try answer(try await tasks.advance(decode(AdvanceTime.self, frame)))
        case PretendConditions.name: return try answer(try await tasks.pretend(decode(PretendConditions.self, frame)))
        default: return nil
        }
    }

    /// A person's own daemon has a person's transfers and apps: they would all run ahead.
    private func requireTestHome() throws(WireFailure) {
        guard !information.paths.isApart else { return }
        throw WireFailure(
            .notApplicable,
            "Time runs ahead for every app and transfer of a daemon, so this one, which is yours, refuses: set OFFSTAGE_HOME to an empty folder for the app and for 'offstage', and advance the daemon that they start there."
        )
    }

    /// Which app asks, by what the kernel says of the connection's peer; the connection is the app's from now on.
    func client(_ connection: UInt64) async throws -> AppFacts {
        try takeForApp(connection)
        let peer = self.peer
        return try await tasks.facts(of: connection) { peer(connection) }
    }
}
