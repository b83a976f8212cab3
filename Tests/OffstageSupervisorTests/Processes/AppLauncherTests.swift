// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageSupervisor
import OffstageTestSupport
import Testing

@Suite struct `Launching an app` {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test func `it begins with its arguments, environment and folder, and prints into its log`() throws {
        let app = try Launched(
            "pwd; printf '%s|' \"$@\" 'end'; echo; echo $A; echo $HOME; cat; echo wrong >&2; echo done; exec sleep 1000",
            arguments: ["sh", "one", "", "t w o"],
            environment: ["A": "1=2"],
            folder: folder
        )
        try app.awaitLine("done")
        #expect(app.log == "\(folder.path)\none||t w o|end|\n1=2\n\nwrong\ndone\n")
        var status = stat()
        #expect(stat(folder.path("logs/app.log"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(stat(folder.path("logs"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    @Test func `it leads a session, with no signal held back and nothing open but its log`() throws {
        let app = try Launched(
            "grep -E '^Sig(Blk|Ign)' /proc/self/status; echo done; kill -STOP $$",
            folder: folder
        )
        try app.awaitLine("done")
        #expect(getsid(app.identity.number) == app.identity.number)
        #expect(AppProcess.open(app.identity)?.leadsGroup == true)
        #expect(app.log.contains("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"))
        #expect(TestFiles.names(in: "/proc/\(app.identity.number)/fd") == ["0", "1", "2"])
        #expect(ProcessStatus.read(app.identity.number)?.parent == getpid())
    }

    @Test func `its log is appended to, and cut to its end once it is long`() throws {
        try Launched("echo first", folder: folder).awaitLine("first")
        let second = try Launched("echo second", folder: folder)
        try second.awaitLine("second")
        #expect(second.log == "first\nsecond\n")
        let line = String(repeating: "x", count: 99) + "\n"
        try TestFiles.write(String(repeating: line, count: 45_000), to: folder.path("logs/app.log"))
        let third = try Launched("echo third", folder: folder)
        try third.awaitLine("third")
        let log = third.log
        #expect(log.utf8.count < (1 << 20) + 10)
        #expect(log.utf8.count > (1 << 20) - 200)
        #expect(log.hasPrefix(line))
        #expect(log.hasSuffix("\n" + line + "third\n"))
    }

    @Test func `an executable that is not there is named`() throws {
        let path = folder.path("gone")
        #expect(throws: LaunchError.executable(path, code: ENOENT)) { try launch(path, in: folder.path) }
        try TestFiles.write([1, 2, 3, 4], to: path, mode: 0o755)
        #expect(throws: LaunchError.executable(path, code: ENOEXEC)) { try launch(path, in: folder.path) }
        #expect(LaunchError.executable("/x", code: ENOENT).sentence.contains("/x cannot be run (No such file"))
    }

    @Test func `an executable that is just being written is no reason to give it up`() {
        let busy = LaunchError.executable("/x", code: ETXTBSY).sentence
        #expect(busy.contains("/x cannot be run now (Text file busy): check whether it is being written"))
        for code in [ETXTBSY, ENOMEM, EIO, EMFILE, ENFILE, ESTALE] {
            #expect(!LaunchError.executable("/x", code: code).isForGood)
        }
        for code in [ENOENT, ENOTDIR, EACCES, EPERM, ENOEXEC, ELOOP] {
            #expect(LaunchError.executable("/x", code: code).isForGood)
        }
        #expect(!LaunchError.workingDirectory("/mnt/drive", code: ENOENT).isForGood)
    }

    @Test func `a folder that is not there is named`() throws {
        let path = folder.path("gone")
        #expect(throws: LaunchError.workingDirectory(path, code: ENOENT)) { try launch("/bin/true", in: path) }
    }

    @Test func `a log that cannot be written is named`() throws {
        mkdir(folder.path("log"), 0o700)
        #expect(throws: LaunchError.log(path: folder.path("log"), code: EISDIR)) {
            try launch("/bin/true", in: "/", log: folder.path("log"))
        }
        symlink("/dev/null", folder.path("link"))
        #expect(throws: LaunchError.log(path: folder.path("link"), code: ELOOP)) {
            try launch("/bin/true", in: "/", log: folder.path("link"))
        }
    }

    @Test func `it is found by its token, and its children are not taken for it`() throws {
        let token = "token-\(UInt64.random(in: .min ... .max))"
        #expect(AppLauncher.find(token: token) == nil)
        let app = try Launched(
            "sh -c 'sleep 1000 & wait' & sleep 1001 & echo done; wait",
            environment: ["PATH": "/usr/bin:/bin", AppLauncher.tokenVariable: token],
            folder: folder
        )
        try app.awaitLine("done")
        #expect(AppLauncher.find(token: token) == app.identity)
        AppProcess.open(app.identity)?.stop()
        #expect(AppLauncher.find(token: token) == app.identity)
        AppProcess.open(app.identity)?.kill()
        try eventually("nobody has the token") { AppLauncher.find(token: token) == nil ? true : nil }
    }

    @Test func `many launches at once each get their own process`() async throws {
        let folder = folder
        let identities = try await withThrowingTaskGroup(of: ProcessIdentity.self) { group in
            for _ in 0..<16 {
                group.addTask { try Launched("exec sleep 1000", folder: folder).identity }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(identities.count == 16)
    }

    private func launch(_ executable: String, in directory: String, log: String? = nil) throws(LaunchError) {
        _ = try AppLauncher.spawn(
            executable: AppExecutable(executable),
            arguments: [],
            environment: [:],
            workingDirectory: directory,
            logPath: log ?? folder.path("app.log")
        )
    }
}
