// SPDX-License-Identifier: Apache-2.0

/// The reference for the program `offstaged`: the source of its `--help`, offstaged(8) and docs/exit-codes.md.
package enum DaemonReference {
    package static let options: [(name: String, meaning: String)] = [
        ("--help", "print a short description"), ("--version", "print the version"),
    ]

    package static let paragraphs = [
        """
        The daemon that carries out transfers for one user. The command 'offstage' starts it when it is needed; \
        the units for systemd start it for the first client, with the session, or with the machine.
        """,
        """
        It runs in the foreground, logs to standard error, and stops on SIGTERM. Everything it keeps is under the XDG \
        directories, or under the folder that OFFSTAGE_HOME names.
        """,
    ]

    package static let exitStatuses: [(code: Int32, meaning: String)] = [
        (0, "stopped by SIGTERM, SIGINT or `offstage daemon stop`"),
        (3, "another daemon is already running for this user"),
        (64, "the command line is invalid"),
        (71, "the system lacks something that the daemon needs"),
        (73, "a folder or the socket cannot be created"),
        (74, "the store or standard output cannot be used, or a disk kept it from stopping within `stopDeadline`"),
        (78, "the settings or the environment cannot be used"),
    ]

    /// The output of `offstaged --help`, without the final line feed.
    package static var help: String {
        let usage = "Usage: offstaged [\(options.map(\.name).joined(separator: " | "))]"
        let statuses = exitStatuses.map { status in
            let code = "\(status.code)"
            let meaning = status.meaning.filter { $0 != "`" }
            return "  \(code)\(String(repeating: " ", count: 4 - code.count))\(meaning)"
        }
        return ([usage] + paragraphs.map(folded)).joined(separator: "\n\n")
            + "\n\nExit status:\n" + statuses.joined(separator: "\n")
    }

    /// A paragraph in lines of up to 100 characters.
    private static func folded(_ paragraph: String) -> String {
        var lines = [""]
        for word in paragraph.split(separator: " ") {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if line.count + word.count < 100 {
                lines[lines.count - 1] = "\(line) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n")
    }
}
