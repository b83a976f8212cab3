// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageClient
import OffstageCore
import OffstageTestSupport
import Testing

/// The launcher with shell scripts in place of the daemon, which print what they were given.
@Suite struct DaemonLauncherTests {
    private let directory: TemporaryDirectory
    private let paths: OffstagePaths

    init() throws {
        directory = try TemporaryDirectory()
        paths = try OffstagePaths(environment: ["OFFSTAGE_HOME": directory.path("h")])
    }

    private func launcher(_ script: String) throws -> DaemonLauncher {
        let program = directory.path("offstaged")
        try TestFiles.write("#!/bin/sh\n" + script, to: program)
        chmod(program, 0o700)
        return DaemonLauncher(
            paths: paths,
            environment: [
                "OFFSTAGED": program, "PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": "/nowhere", "LANG": "kept",
                "AWS_SECRET_ACCESS_KEY": "s3cret",
            ]
        )
    }

    @Test func `a daemon that is ready was given a session, the root folder, a log and nothing else`() throws {
        // Not close-on-exec: it would be inherited if the launcher did not close it.
        let extra = fcntl(0, F_DUPFD, 60)
        defer { close(extra) }
        let outcome = try launcher(
            """
            echo "$PWD|$(ls /proc/$$/fd | tr '\\n' ' ')|$(readlink /proc/$$/fd/0)|$(cut -d' ' -f6 /proc/$$/stat)=$$|$NOTIFY_SOCKET$AWS_SECRET_ACCESS_KEY|$LANG|$OFFSTAGE_READY_FD"
            echo READY >&3
            """
        ).launch()
        #expect(outcome == .ready)
        let parts = try TestFiles.text(paths.log).split(separator: "\n")[0].split(
            separator: "|",
            omittingEmptySubsequences: false
        )
        #expect(parts[0] == "/")
        // The shell also has its script and a pipe open.
        let open = Set(parts[1].split(separator: " ").compactMap { Int32($0) })
        #expect(open.isSuperset(of: [0, 1, 2, 3]))
        #expect(!open.contains(extra))
        #expect(parts[2] == "/dev/null")
        let session = parts[3].split(separator: "=")
        #expect(session[0] == session[1])
        #expect(parts[4] == "")
        #expect(parts[5] == "kept")
        #expect(parts[6] == "3")
        var status = stat()
        #expect(stat(paths.log, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func `another daemon's lock is told apart`() throws {
        #expect(try launcher("echo RUNNING >&3").launch() == .anotherIsRunning)
    }

    @Test func `an error is the daemon's own sentence`() throws {
        let launcher = try launcher("echo 'ERROR The store is from the future.' >&3; exit 74")
        let error = #expect(throws: OffstageError.self) { try launcher.launch() }
        #expect(error?.code == .daemonDidNotStart)
        #expect(error?.description == "The store is from the future.")
    }

    @Test func `a daemon that ends without a word is an error`() throws {
        let launcher = try launcher("exit 1")
        let error = #expect(throws: OffstageError.self) { try launcher.launch() }
        #expect(error?.description.contains("did not start (it ended at once): see 'offstage daemon log'.") == true)
    }

    @Test func `a daemon that says nothing is waited for no longer than is allowed`() throws {
        let launcher = try launcher("exec sleep 40")
        let error = #expect(throws: OffstageError.self) { try launcher.launch(within: 0.2) }
        #expect(error?.code == .daemonDidNotStart)
        #expect(error?.description.contains("it was not ready within 1 s") == true)
        let environment = ["OFFSTAGED": directory.path("offstaged")]
        let connector = DaemonConnector(paths: paths, environment: environment, client: "test", startsDaemon: true)
        #expect(throws: OffstageError.self) { try connector.connect(within: 0.2) }
    }

    @Test func `a program that is not there is named`() throws {
        let launcher = DaemonLauncher(paths: paths, environment: ["OFFSTAGED": directory.path("none")])
        let error = #expect(throws: OffstageError.self) { try launcher.launch() }
        #expect(error?.code == .daemonNotFound)
        #expect(error?.description.contains(directory.path("none")) == true)
    }

    @Test func `a folder that cannot be made is named, with what to do`() throws {
        try TestFiles.write("", to: directory.path("file"))
        for (home, made, advice) in [
            (directory.path("file"), "file/.local", "move away the file that is in the folder's place."),
            // No user can create a folder there, not even root.
            ("/proc/none", "/proc/none", "set HOME, or OFFSTAGE_HOME, to a folder that this user may write."),
        ] {
            let launcher = DaemonLauncher(
                paths: try OffstagePaths(environment: ["HOME": home]),
                environment: ["OFFSTAGED": "/bin/true"]
            )
            let error = #expect(throws: OffstageError.self) { try launcher.launch() }
            #expect(error?.code == .daemonDidNotStart)
            let sentence = error?.description ?? ""
            #expect(
                sentence.hasPrefix("The folder ") && sentence.contains("\(made) cannot be created ("),
                "\(sentence)"
            )
            #expect(sentence.hasSuffix(advice), "\(sentence)")
        }
    }

    @Test func `a log that is no file is to be moved away`() throws {
        try TestFiles.makeDirectory(directory.path("h"))
        symlink("/dev/full", paths.log)
        let launcher = try launcher("echo READY >&3")
        let error = #expect(throws: OffstageError.self) { try launcher.launch() }
        #expect(error?.description.hasSuffix("move away what is in its place.") == true, "\(error?.description ?? "")")
    }

    @Test func `a long log is set aside`() throws {
        try TestFiles.makeDirectory(directory.path("h"))
        try TestFiles.makeRandom(paths.log, bytes: 1_048_577, seed: 1)
        _ = try launcher("echo new; echo READY >&3").launch()
        #expect(try TestFiles.text(paths.log) == "new\n")
        var status = stat()
        #expect(stat(paths.log + ".1", &status) == 0 && status.st_size == 1_048_577)
    }
}
