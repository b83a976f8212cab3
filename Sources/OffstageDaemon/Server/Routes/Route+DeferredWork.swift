// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTransfers

extension Route {
    /// The requests about deferred work: first those from apps, then those from people.
    static let ofDeferredWork = [
        Route(SubmitTask.self, "submits an app's task request") { server, request, connection in
            try await server.tasks.submit(request, of: server.client(connection))
        },
        Route(SetFetchInterval.self, "sets how often an app wants to fetch") { server, request, connection in
            try await server.tasks.setFetchInterval(request, of: server.client(connection))
        },
        Route(
            CancelTasks.self,
            "cancels an app's task requests, one or all",
            doing: { server, request, connection in
                try await server.tasks.cancel(request, of: server.client(connection))
            }
        ),
        Route(PendingTasks.self, "an app's task requests that have not run") { server, _, connection in
            PendingTasks.Reply(drafts: try await server.tasks.pendingDrafts(of: server.client(connection)))
        },
        Route(TaskRules.self, "what an app's `Info.plist` permits it") { server, _, connection in
            try await server.tasks.rules(of: server.client(connection))
        },
        Route(ListTasks.self, "all task requests and runs, as people see them", rows: { _ in .max }) {
            server,
            request,
            _ in
            try await server.tasks.list(request)
        },
        Route(ShowTask.self, "everything about one of them, and why it waits", rows: { _ in .max }) {
            server,
            request,
            _ in
            try await server.tasks.show(request)
        },
        Route(ForecastTasks.self, "when requests would run if nothing changed", rows: { _ in .max }) {
            server,
            request,
            _ in
            try await server.tasks.forecast(request)
        },
        Route(WatchTasks.self, "from now on this connection receives events of tasks", rows: { _ in .max }) {
            server,
            request,
            connection in
            await server.tasks.watch(request, connection: connection)
        },
        Route(CancelTask.self, "cancels a request, or expires a run, for a person") { server, request, _ in
            try await server.tasks.stop(request)
        },
        Route(SimulateTask.self, "launches or expires a task now, for a test") { server, request, _ in
            try await server.tasks.simulate(request)
        },
        Route(AdvanceTime.self, "advances the time of a daemon with a folder of its own") { server, request, _ in
            try server.requireTestHome()
            return try await server.tasks.advance(request)
        },
        Route(GetConditions.self, "the machine's conditions, and which are pretended") { server, _, _ in
            await server.tasks.conditions()
        },
        Route(PretendConditions.self, "pretends conditions of the machine") { server, request, _ in
            try await server.tasks.pretend(request)
        },
    ]
}

extension DaemonServer {
    /// Refused for a person's own daemon, whose transfers and apps are real: time must not be advanced there.
    fileprivate func requireTestHome() throws(WireFailure) {
        guard !information.paths.isApart else { return }
        throw WireFailure(
            .notApplicable,
            "Advancing time affects every app and transfer of a daemon, so your usual daemon refuses: set OFFSTAGE_HOME to an empty folder for the app and for 'offstage', and advance the daemon that they start there."
        )
    }

    /// The requesting app, according to the kernel's information about the peer. From now on the connection belongs to
    /// the app.
    func client(_ connection: UInt64) async throws -> AppFacts {
        try takeForApp(connection)
        let peer = self.peer
        return try await tasks.facts(of: connection) { peer(connection) }
    }
}
