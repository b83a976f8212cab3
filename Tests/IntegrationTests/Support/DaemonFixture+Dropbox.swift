// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import OffstageTestSupport

extension DaemonFixture {
    /// Signs in to an emulator's account as a person does whose browser brings the code back.
    ///
    /// - Throws: `TestError` with what the command said.
    func signIn(to emulator: DropboxEmulatorServer, as name: String = "dropbox") throws {
        let browser = directory.path("browser")
        try TestFiles.makeDirectory(browser)
        try TestFiles.write(
            Array("#!/bin/sh\nexec curl --silent --location --output /dev/null \"$1\"\n".utf8),
            to: browser + "/xdg-open",
            mode: 0o755
        )
        let path = ChildProcess.inheritedEnvironment["PATH"] ?? "/usr/bin:/bin"
        let result = try run(
            ["account", "add", "dropbox", "--name", name, "--app-key", "app", "--api-url", emulator.address]
                + ["--port", "0"],
            environment: ["DISPLAY": ":0", "PATH": "\(browser):\(path)"]
        )
        guard result.isSuccess else { throw TestError("offstage account add dropbox: \(result)") }
    }
}
