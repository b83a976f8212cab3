// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol

/// Reports about an app for people.
extension SupervisedApp {
    /// Its row in a list, with its number of unfinished transfers.
    func row(outstanding: Int) -> AppRow {
        AppRow(
            id: id,
            name: life.registration.information.name,
            state: life.state,
            isQuit: life.registration.isQuit,
            process: processNumber,
            since: since,
            outstanding: outstanding
        )
    }

    /// All details of the app.
    ///
    /// - Parameters:
    ///   - row: its row in a list.
    ///   - reveals: whether the arguments of its launch are shown.
    ///   - now: the present time.
    ///   - logPath: the log of its output.
    ///   - problem: why it would not be launched; nil if no obstacle is known.
    ///   - container: the folder of its files.
    /// - Returns: the answer.
    func details(
        row: AppRow,
        reveals: Bool,
        now: Moment,
        logPath: String,
        problem: String?,
        container: String
    ) -> ShowApp.Reply {
        let registration = life.registration
        let arguments = registration.launch.arguments
        func date(_ uptime: Double) -> Date { now.wall.addingTimeInterval(uptime - now.uptime) }
        return ShowApp.Reply(
            row: row,
            executable: registration.executable,
            information: registration.information,
            arguments: reveals ? arguments : arguments.map { _ in HeaderField.hidden },
            workingDirectory: registration.launch.workingDirectory,
            environmentNames: registration.launch.environment.keys.sorted(),
            backgroundTime: life.policy.time,
            tasks: life.tasks,
            timeEnds: life.timeEnds.map(date),
            delayedUntil: life.delayedUntil.map(date),
            logPath: logPath,
            suspendsBy: process?.cgroup != nil ? "freezer" : "signal",
            launchProblem: problem,
            container: container
        )
    }
}
