// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageSupervisor
import OffstageTestSupport

/// A shell started by the launcher, with its own folder and its log in it; killed at the end of the test.
final class Launched: Sendable {
    let identity: ProcessIdentity
    let folder: TemporaryDirectory

    init(
        _ script: String,
        arguments: [String] = [],
        environment: [String: String] = ["PATH": "/usr/bin:/bin"],
        folder: TemporaryDirectory,
        cgroup: String? = nil
    ) throws(LaunchError) {
        self.folder = folder
        identity = try AppLauncher.spawn(
            executable: AppExecutable("/bin/sh"),
            arguments: ["-c", script] + arguments,
            environment: environment,
            workingDirectory: folder.path,
            logPath: folder.path("logs/app.log"),
            cgroup: cgroup
        )
    }

    deinit {
        AppProcess.open(identity)?.kill()
        waitpid(identity.number, nil, 0)
    }

    var log: String { (try? TestFiles.text(folder.path("logs/app.log"))) ?? "" }

    /// Waits for a line of the log.
    func awaitLine(_ line: String) throws {
        try eventually("the log says \(line)") { log.split(separator: "\n").contains { $0 == line } ? true : nil }
    }
}
