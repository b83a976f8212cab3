// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageProtocol

/// An app in `--json` output (docs/json.md): a stable form, independent of the wire's.
package struct AppDocument: Encodable, Sendable {
    let id: String
    let name: String?
    let state: String
    let isQuit: Bool
    let process: Int32?
    let since: Date?
    let outstanding: Int

    package init(_ row: AppRow) {
        id = row.id
        name = row.name
        state = row.state.rawValue
        isQuit = row.isQuit
        process = row.process
        since = row.since
        outstanding = row.outstanding
    }
}

/// Everything about an app in `--json` output: an app's own keys and more.
package struct AppDetailDocument: Encodable, Sendable {
    struct Task: Encodable, Sendable {
        let id: Int
        let name: String
        /// Seconds on the boot-time clock.
        let beganAt: Double
    }

    private let row: AppDocument
    private let info: ShowApp.Reply

    package init(_ info: ShowApp.Reply) {
        self.info = info
        row = AppDocument(info.row)
    }

    private enum CodingKeys: String, CodingKey {
        case executable, arguments, workingDirectory, environmentNames, backgroundModes, permittedTaskIdentifiers
        case backgroundTime, tasks, timeEnds, delayedUntil, logPath, suspendsBy
        case launchProblem, container
    }

    package func encode(to encoder: any Encoder) throws {
        try row.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(info.executable, forKey: .executable)
        try container.encode(info.arguments, forKey: .arguments)
        try container.encode(info.workingDirectory, forKey: .workingDirectory)
        try container.encode(info.environmentNames, forKey: .environmentNames)
        try container.encode(info.information.backgroundModes, forKey: .backgroundModes)
        try container.encode(info.information.permittedTaskIdentifiers, forKey: .permittedTaskIdentifiers)
        try container.encode(info.backgroundTime.taskTime, forKey: .backgroundTime)
        try container.encode(
            info.tasks.map { Task(id: $0.id, name: $0.name, beganAt: $0.beganAt) },
            forKey: .tasks
        )
        try container.encodeIfPresent(info.timeEnds, forKey: .timeEnds)
        try container.encodeIfPresent(info.delayedUntil, forKey: .delayedUntil)
        try container.encode(info.logPath, forKey: .logPath)
        try container.encode(info.suspendsBy, forKey: .suspendsBy)
        try container.encodeIfPresent(info.launchProblem, forKey: .launchProblem)
        try container.encodeIfPresent(info.container, forKey: .container)
    }
}
