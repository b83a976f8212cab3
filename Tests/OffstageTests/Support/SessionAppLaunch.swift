// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport

/// `Tests/Fixtures/SessionApp`, launched in the home of a daemon that it starts itself.
extension DaemonFixture {
    /// The app is `$@` in the shell's line.
    func launchSessionApp(_ orders: [String], shell: String = "exec \"$@\"") throws -> ChildProcess {
        let environment = ChildProcess.inheritedEnvironment.merging([
            "OFFSTAGE_HOME": home, "OFFSTAGED": try BuiltProducts.path("offstaged"),
        ]) { $1 }
        return try ChildProcess(
            "/bin/sh",
            ["-c", shell, "sh", try BuiltProducts.path("SessionApp")],
            environment: environment,
            directory: files,
            input: Array(orders.map { $0 + "\n" }.joined().utf8)
        )
    }
}
