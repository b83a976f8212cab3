// SPDX-License-Identifier: Apache-2.0

extension StageView {
    /// The view, with only as many background tasks as are kept, and their names shortened.
    package var bounded: StageView {
        var view = self
        view.tasks = tasks.prefix(StageBudget().backgroundTasks).map(\.bounded)
        return view
    }

    /// The view as the daemon accepts it from a process.
    ///
    /// - Returns: the view, bounded.
    /// - Throws: `RequestError` if it has more sessions or deferred tasks than any process, or a session that none can
    ///   have. Shortening the list would be wrong: anything missing from it counts as handled.
    package func checked() throws(RequestError) -> StageView {
        let budget = StageBudget()
        guard unhandled.count <= budget.sessions else {
            throw .invalidValue("A process handles the events of at most \(budget.sessions) sessions at a time")
        }
        guard max(runningTasks.count, completedTasks.count) <= budget.deferredTasks else {
            throw .invalidValue("A process has at most \(budget.deferredTasks) deferred tasks at a time")
        }
        for session in unhandled {
            if let problem = budget.problem(session) { throw .invalidValue(problem) }
        }
        return bounded
    }
}
