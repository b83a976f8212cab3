// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore
package import OffstageProtocol

/// Everything about an app, for people.
package enum AppDetailText {
    package static func lines(_ info: ShowApp.Reply, now: Date) -> [String] {
        let row = info.row
        var pairs: [(String, String)] = [("App", row.id)]
        if let name = row.name { pairs.append(("Name", name)) }
        pairs.append(("State", AppTable.words(row) + (row.since.map { ", since \(Format.fullTime($0))" } ?? "")))
        if row.isQuit { pairs.append(("Quit", "nothing launches it in the background until you open it again")) }
        if let process = row.process { pairs.append(("Process", "\(process)")) }
        if let end = info.timeEnds { pairs.append(("Time", "may run in the background \(until(end, now))")) }
        if let end = info.delayedUntil {
            pairs.append(("Delayed", "is not launched in the background \(until(end, now))"))
        }
        if let problem = info.launchProblem { pairs.append(("Launch", problem)) }
        pairs += [
            ("Transfers", row.outstanding == 0 ? "none outstanding" : "\(row.outstanding) outstanding"),
            ("Executable", info.executable),
            ("Arguments", arguments(info.arguments)),
            ("Directory", info.workingDirectory),
            ("Environment", info.environmentNames.isEmpty ? "none" : info.environmentNames.joined(separator: ", ")),
            ("Background", backgroundTime(info.backgroundTime)),
            ("Suspended by", info.suspendsBy == "freezer" ? "the cgroup freezer" : "SIGSTOP"),
            ("Output", info.logPath),
        ]
        if let container = info.container { pairs.append(("Container", container)) }
        if !info.information.backgroundModes.isEmpty {
            pairs.append(("Modes", info.information.backgroundModes.joined(separator: ", ")))
        }
        if !info.information.permittedTaskIdentifiers.isEmpty {
            pairs.append(("Task names", info.information.permittedTaskIdentifiers.joined(separator: ", ")))
        }
        let lines = pairs.map { "\(DetailText.padded($0.0)) \($0.1.redactedControls)" }
        return lines + DetailText.section("Background tasks", info.tasks.map(task))
    }

    private static func arguments(_ arguments: [String]) -> String {
        if arguments.isEmpty { return "none" }
        if arguments.allSatisfy({ $0 == HeaderField.hidden }) {
            return "\(arguments.count), hidden (--reveal shows them)"
        }
        return arguments.map(quoted).joined(separator: " ")
    }

    private static func until(_ date: Date, _ now: Date) -> String {
        let left = date.timeIntervalSince(now)
        return "until \(Format.time(date, now: now))" + (left > 0 ? " (\(Format.duration(left)) left)" : "")
    }

    private static func backgroundTime(_ profile: BackgroundTimeProfile) -> String {
        let seconds = Format.seconds(profile.taskTime)
        return profile.name.hasPrefix("ios") ? "\(seconds) (\(profile.name))" : seconds
    }

    private static func task(_ task: BackgroundTask) -> String { "\(task.id): \(task.name)" }

    /// A word quoted for a shell.
    private static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || "0123456789-_./:=,+@%".unicodeScalars.contains($0)
            }
        return isPlain
            ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
