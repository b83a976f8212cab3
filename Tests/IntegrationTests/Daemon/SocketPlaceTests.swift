// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

/// Every command finds the same daemon, whatever its environment, and wherever the socket was.
@Suite struct `Where the daemon listens` {
    /// A separate account: only HOME determines the locations.
    private final class Account {
        let directory: TemporaryDirectory
        let home: String
        var runtime: String { directory.path("runtime") }

        init(home name: String = "home") throws {
            directory = try TemporaryDirectory()
            home = directory.path(name)
            for path in [home, runtime] { try TestFiles.makeDirectory(path) }
            chmod(runtime, 0o700)
        }

        deinit {
            for processID in ForeignProcess.withEnvironment("HOME=\(home)") where processID != getpid() {
                guard let process = try? ForeignProcess(processID),
                    ForeignProcess.withEnvironment("HOME=\(home)").contains(processID)
                else { continue }
                try? process.send(SIGKILL)
                try? process.awaitEnd()
            }
            directory.remove()
        }

        /// Runs `offstage` as from a log-in session, or as from cron, which has no runtime folder.
        func run(_ arguments: String..., inSession: Bool) throws -> CommandResult {
            try start(arguments, inSession: inSession).result(within: 60)
        }

        func start(_ arguments: String..., inSession: Bool) throws -> ChildProcess {
            try start(arguments, inSession: inSession)
        }

        private func start(_ arguments: [String], inSession: Bool) throws -> ChildProcess {
            var environment = ChildProcess.inheritedEnvironment.filter { !$0.key.hasPrefix("XDG_") }
            environment["OFFSTAGE_HOME"] = ""
            environment["HOME"] = home
            environment["OFFSTAGED"] = try BuiltProducts.path("offstaged")
            if inSession { environment["XDG_RUNTIME_DIR"] = runtime }
            let program = try BuiltProducts.path("offstage")
            return try ChildProcess(program, arguments, environment: environment, directory: home)
        }

        static func remove(_ path: String) throws {
            let result = try ChildProcess("/bin/rm", ["-r", path]).result(within: 20)
            guard result.isSuccess else { throw TestError("\(result)") }
        }

        func daemon(inSession: Bool) throws -> Int {
            let result = try run("daemon", "status", "--json", inSession: inSession)
            guard let process = try JSONValue(parsing: result.output).processID.integer else {
                throw TestError("no daemon: \(result)")
            }
            return process
        }
    }

    private let account: Account

    init() throws { account = try Account() }

    @Test(arguments: [true, false])
    func `a daemon started in a session is found without it, and the other way round`(inSession: Bool) throws {
        #expect(try account.run("list", inSession: inSession).isSuccess)
        let first = try account.daemon(inSession: inSession)
        let other = try account.run("list", inSession: !inSession)
        #expect(other.isSuccess, "\(other)")
        #expect(try account.daemon(inSession: !inSession) == first)
        let stopped = try account.run("daemon", "stop", inSession: !inSession)
        #expect(stopped.output.contains("has stopped"), "\(stopped)")
    }

    @Test func `a home with a long name is no hindrance where a daemon runs already`() throws {
        let account = try Account(home: String(repeating: "x", count: 90))
        let alone = try account.run("list", inSession: false)
        #expect(alone.status == .exited(1) && alone.errors.contains("XDG_RUNTIME_DIR to a shorter folder"), "\(alone)")
        #expect(try account.run("list", inSession: true).isSuccess)
        #expect(try account.daemon(inSession: false) == account.daemon(inSession: true))
        let stopped = try account.run("daemon", "stop", inSession: false)
        #expect(stopped.output.contains("has stopped"), "\(stopped)")
    }

    @Test func `a daemon outlives the session's runtime folder`() throws {
        #expect(try account.run("list", inSession: true).isSuccess)
        let first = try account.daemon(inSession: true)
        try Account.remove(account.runtime)
        try eventually("the daemon listens elsewhere") {
            try account.run("daemon", "status", inSession: false).isSuccess ? true : nil
        }
        #expect(try account.daemon(inSession: false) == first)
        // The daemon must not create it: after a logout, its parent folder belongs to another user.
        #expect(!TestFiles.exists(account.runtime))
        try TestFiles.makeDirectory(account.runtime)
        chmod(account.runtime, 0o700)
        let later = try account.run("list", inSession: true)
        #expect(later.isSuccess, "\(later)")
        #expect(try account.daemon(inSession: true) == first)
    }

    @Test(arguments: [true, false])
    func `a socket that was removed is made again where it was`(withItsFolder: Bool) throws {
        #expect(try account.run("list", inSession: true).isSuccess)
        let first = try account.daemon(inSession: true)
        let folder = account.runtime + "/offstage"
        if withItsFolder { try Account.remove(folder) } else { unlink(folder + "/daemon.sock") }
        try eventually("the socket is back") { access(folder + "/daemon.sock", F_OK) == 0 ? true : nil }
        #expect(try account.daemon(inSession: true) == first)
    }

    @Test func `whoever starts no daemon waits for the socket to be back`() throws {
        #expect(try account.run("list", inSession: true).isSuccess)
        let first = try account.daemon(inSession: true)
        try Account.remove(account.runtime + "/offstage")
        let status = try account.run("daemon", "status", inSession: true)
        #expect(status.isSuccess && status.output.contains("\(first)"), "\(status)")
        try Account.remove(account.runtime + "/offstage")
        let stop = try account.run("daemon", "stop", inSession: true)
        #expect(stop.isSuccess && stop.output.contains("has stopped"), "\(stop)")
    }

    @Test(arguments: [true, false])
    func `a lock file that was removed is made again, and the daemon found by it`(withItsSocket: Bool) throws {
        #expect(try account.run("list", inSession: true).isSuccess)
        let first = try account.daemon(inSession: true)
        let lock = account.home + "/.local/share/offstage/daemon.lock"
        let socket = account.runtime + "/offstage/daemon.sock"
        unlink(lock)
        if withItsSocket { unlink(socket) }
        try eventually("the lock is back") { (try? TestFiles.text(lock))?.hasPrefix("\(first)\n") == true ? true : nil }
        try eventually("the socket is there") { access(socket, F_OK) == 0 ? true : nil }
        #expect(try account.daemon(inSession: false) == first)
        let stop = try account.run("daemon", "stop", inSession: false)
        #expect(stop.output.contains("has stopped"), "\(stop)")
    }

    @Test func `a daemon that hangs is named while it is waited for`() throws {
        #expect(try account.run("list", inSession: true).isSuccess)
        let first = try account.daemon(inSession: true)
        let process = try ForeignProcess(Int32(clamping: first))
        try process.send(SIGSTOP)
        let list = try account.start("list", inSession: true)
        let doctor = try account.run("doctor", inSession: true)
        #expect(doctor.status == .exited(1), "\(doctor)")
        #expect(doctor.output.contains("The daemon, process \(first), is stopped and does not answer"), "\(doctor)")
        try process.send(SIGCONT)
        let listed = try list.result(within: 60)
        #expect(listed.isSuccess && listed.errors.contains("'kill -CONT \(first)' continues it"), "\(listed)")
    }

    @Test func `the doctor names the socket that is used`() throws {
        #expect(try account.run("list", inSession: true).isSuccess)
        let doctor = try account.run("doctor", inSession: false)
        let socket = account.runtime + "/offstage/daemon.sock"
        #expect(doctor.output.contains("the daemon listens at \(socket)"), "\(doctor)")
        #expect(doctor.output.contains("\(account.runtime)/offstage is accessible to this user only"), "\(doctor)")
        #expect(!doctor.output.contains("will be created when it is needed"), "\(doctor)")
    }

    @Test func `two daemons with one place do not take it from each other`() throws {
        #expect(try account.run("list", inSession: true).isSuccess)
        var environment = ChildProcess.inheritedEnvironment.filter { !$0.key.hasPrefix("XDG_") }
        environment["OFFSTAGE_HOME"] = ""
        environment["HOME"] = account.home
        environment["XDG_RUNTIME_DIR"] = account.runtime
        environment["XDG_DATA_HOME"] = account.home + "/other"
        let second = try ChildProcess(try BuiltProducts.path("offstaged"), environment: environment)
        defer { withExtendedLifetime(second) {} }
        let log = account.home + "/.local/state/offstage/daemon.log"
        try eventually("the first one leaves it to the second") {
            try TestFiles.text(log).contains("another daemon listens where this one did: ") ? true : nil
        }
        #expect(try !TestFiles.text(log).contains("had been removed"))
    }

    @Test func `a daemon that does not answer is named, and not taken for none`() throws {
        #expect(try account.run("list", inSession: true).isSuccess)
        let first = try account.daemon(inSession: true)
        // As if the disk had been too full to record the socket's place, and the socket were gone for good.
        let lock = account.home + "/.local/share/offstage/daemon.lock"
        try TestFiles.write("\(first)\n/nowhere/daemon.sock\n", to: lock)
        unlink(account.runtime + "/offstage/daemon.sock")
        try TestFiles.makeDirectory(account.runtime + "/offstage/daemon.sock")
        let stop = try account.run("daemon", "stop", inSession: true)
        #expect(stop.status == .exited(3) && stop.errors.contains("process \(first)"), "\(stop)")
        let doctor = try account.run("doctor", inSession: true)
        #expect(doctor.status == .exited(1) && doctor.output.contains("kill \(first)"), "\(doctor)")
    }
}
