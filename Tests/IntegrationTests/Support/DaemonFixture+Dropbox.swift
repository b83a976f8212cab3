// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import OffstageTestSupport

extension DaemonFixture {
    /// Signs in to an emulator's account, like a person whose browser returns the code.
    ///
    /// - Throws: `TestError` with the command's output.
    func signIn(to emulator: DropboxEmulatorServer, as name: String = "dropbox") throws {
        // A folder for each account: tests that share a daemon sign in concurrently, and a script cannot be started
        // while it is being rewritten.
        let browser = directory.path("browser-\(name)")
        try TestFiles.makeDirectory(browser)
        // Written by a separate process: a child that another test starts in the meantime would briefly have the file
        // open for writing, and such a file cannot be started.
        let script = #"""
            printf '#!/bin/sh\nexec curl --silent --location --output /dev/null "$1"\n' >"$0"
            chmod 755 "$0"
            """#
        let written = try ChildProcess.run("/bin/sh", ["-c", script, browser + "/xdg-open"])
        guard written.isSuccess else { throw TestError("no browser: \(written)") }
        let path = ChildProcess.inheritedEnvironment["PATH"] ?? "/usr/bin:/bin"
        let result = try run(
            ["account", "add", "dropbox", "--name", name, "--app-key", "app", "--api-url", emulator.address]
                + ["--port", "0"],
            environment: ["DISPLAY": ":0", "PATH": "\(browser):\(path)"]
        )
        guard result.isSuccess else { throw TestError("offstage account add dropbox: \(result)") }
    }
}
