// SPDX-License-Identifier: Apache-2.0

extension StageReport {
    /// The report, with the texts for people shortened to the length that is kept.
    package var bounded: StageReport {
        switch self {
        case .beganTask(let task): .beganTask(task.bounded)
        case .taskProgress(let number, let progress): .taskProgress(number, progress.bounded)
        case .launched, .state, .endedTask, .expired, .announced, .handled, .taskEntered, .taskCompleted,
            .taskUnclaimed, .taskLeftOut, .visible, .leftTerminal, .terminal, .continued, .finishing, .readyToSuspend:
            self
        }
    }

    /// The report as the daemon accepts it from a process.
    ///
    /// - Returns: the report, bounded.
    /// - Throws: `RequestError` for a session that no process can have.
    package func checked() throws(RequestError) -> StageReport {
        switch self {
        case .announced(let session), .handled(let session):
            if let problem = StageBudget().problem(session) { throw .invalidValue(problem) }
        default: break
        }
        return bounded
    }
}

extension BackgroundTask {
    /// The task, with its name shortened.
    package var bounded: BackgroundTask {
        BackgroundTask(id: id, name: name.first(bytes: StageBudget().taskName), beganAt: beganAt)
    }
}

extension TaskProgress {
    /// The progress, with its texts shortened to fit a list and a frame.
    package var bounded: TaskProgress {
        let longest = StageBudget().progressText
        var progress = self
        progress.title = title.first(bytes: longest)
        progress.subtitle = subtitle.first(bytes: longest)
        return progress
    }
}
