// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct `A store in trouble` {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
        server.script("/file", .status(200, body: "content"))
    }

    /// Creates a store with one finished transfer and no daemon.
    private func makeStore() throws {
        #expect(try daemon.run("download", server.url("/file"), "-o", "first").isSuccess)
        let process = try daemon.daemon()
        #expect(try daemon.run("daemon", "stop").isSuccess)
        try process.awaitEnd()
    }

    private func expectWorking(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let result = try daemon.run("download", server.url("/file"), "-o", "later", "--force")
        #expect(result.isSuccess, "\(result)", sourceLocation: sourceLocation)
    }

    private func python(_ script: String) throws -> ChildProcess {
        try ChildProcess("/usr/bin/python3", ["-u", "-c", script, daemon.storePath])
    }

    @Test(arguments: ["garbage", "a few bytes", "a hole"])
    func `a damaged store is set aside, told about, and the daemon goes on`(damage: String) throws {
        try makeStore()
        switch damage {
        case "garbage":
            var generator = SeededGenerator(seed: 4)
            try TestFiles.write(generator.bytes(50_000), to: daemon.storePath)
        case "a few bytes": try TestFiles.write("hello", to: daemon.storePath)
        default:
            let file = open(daemon.storePath, O_WRONLY)
            #expect(pwrite(file, [UInt8](repeating: 0xAA, count: 4096), 4096, 0) == 4096)
            #expect(pwrite(file, [UInt8](repeating: 0x55, count: 6000), 6000, 4096) == 6000)
            close(file)
        }
        let listed = try daemon.run("list")
        #expect(listed.isSuccess, "\(listed)")
        #expect(TestFiles.names(in: daemon.home).contains { $0.contains("damaged") })
        let status = try daemon.run("daemon", "status").output
        #expect(status.contains("damaged"), "\(status)")
        #expect(try daemon.run("doctor").output.contains("damaged"))
        try expectWorking()
    }

    @Test func `a store of a newer version is refused and left alone`() throws {
        try makeStore()
        let result = try python(
            """
            import sqlite3, sys
            c = sqlite3.connect(sys.argv[1])
            print(c.execute('PRAGMA user_version').fetchone()[0])
            c.execute('PRAGMA user_version = 9999')
            """
        ).result()
        #expect(result.isSuccess, "\(result)")
        let version = try #require(Int(result.output.filter(\.isNumber)))
        expectSentence(try daemon.run("list"), code: 3, "newer", "9999")
        try eventually("the refused daemon is gone") { daemon.daemonProcessIDs.isEmpty ? true : nil }
        // Another daemon that the command had begun to start may hold the lock a moment longer.
        let byHand = try eventually("the lock is free") {
            let result = try daemon.startDaemon().result()
            return result.errors.contains("daemon.lock") ? nil : result
        }
        #expect(byHand.status == .exited(74), "\(byHand)")
        let back = try python(
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('PRAGMA user_version = \(version)')"
        ).result()
        #expect(back.isSuccess)
        #expect(try daemon.json("list").transfers.array.count == 1)
    }

    @Test func `a locked store is told and works again once it is free`() throws {
        try makeStore()
        let holder = try python(
            """
            import sqlite3, sys
            c = sqlite3.connect(sys.argv[1], isolation_level=None)
            c.execute('PRAGMA locking_mode = EXCLUSIVE')
            c.execute('BEGIN EXCLUSIVE')
            print('locked')
            import signal
            signal.pause()
            """
        )
        _ = try holder.line { $0 == "locked" ? true : nil }
        expectSentence(try daemon.run("list"), code: 3, "locked")
        holder.kill(SIGKILL)
        _ = try holder.result()
        try expectWorking()
    }

    @Test(.enabled(if: Privileges.canMount, "needs root and the right to mount"))
    func `a store that cannot be written is told`() throws {
        let disk = try MountedDisk(daemon.home, megabytes: 8)
        defer { disk.unmount() }
        try makeStore()
        try disk.makeReadOnly()
        let result = try daemon.run("list")
        expectSentence(result, code: 3)
        #expect(result.errors.contains(daemon.home), "\(result.errors)")
    }

    @Test(.enabled(if: Privileges.canMount, "needs root and the right to mount"))
    func `a full disk under the store loses nothing that was acknowledged`() throws {
        let disk = try MountedDisk(daemon.home, megabytes: 2)
        defer { disk.unmount() }
        server.script("/held", .stalls)
        let held = try daemon.submit("download", server.url("/held"), "-o", "held")
        let filler = daemon.home + "/filler"
        _ = try? TestFiles.makeRandom(filler, bytes: 2 << 20, seed: 1)
        // Fills the last pages as well.
        _ = try? TestFiles.write([UInt8](repeating: 1, count: 4096), to: daemon.home + "/filler2")
        var refusal: CommandResult?
        for number in 0..<200 where refusal == nil {
            let result = try daemon.run("download", server.url("/held"), "-o", "x\(number)", "--detach", within: 20)
            if !result.isSuccess { refusal = result }
        }
        let refused = try #require(refusal)
        expectSentence(refused, code: 3, "full")
        #expect(unlink(filler) == 0)
        try eventually("the daemon takes transfers again") {
            try daemon.run("download", server.url("/file"), "-o", "after", "--force").isSuccess ? true : nil
        }
        #expect(try daemon.show(held).state.string == "running")
    }

    @Test func `a disk that does not answer keeps the daemon from stopping no longer than its deadline`() throws {
        try daemon.settings(#"{"testCommitDelay": 60, "stopDeadline": 1}"#)
        let process = try daemon.startDaemon()
        try eventually("the daemon answers") { try daemon.run("daemon", "status").isSuccess ? true : nil }
        let held = try daemon.start(["download", server.url("/file"), "-o", "never", "--detach"])
        let untilLocked = """
            import sqlite3, sys
            while True:
                store = sqlite3.connect(sys.argv[1], timeout=0)
                try: store.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError: break
                store.close()
            """
        #expect(try python(untilLocked).result(within: 20).isSuccess)
        let begun = TimeLimit.now
        process.kill(SIGTERM)
        #expect(try process.exitStatus(within: 20) == .exited(74))
        #expect(TimeLimit.now - begun < 10)
        #expect(process.errors.contains(" error offstaged did not stop in time, "))
        #expect(try held.result(within: 20).isSuccess == false)
        try daemon.settings("{}")
        try expectWorking()
    }

    @Test func `with slow commits everything else stays prompt`() throws {
        try daemon.settings(#"{"testCommitDelay": 0.3}"#)
        try daemon.startOnDemand()
        let file = FaultFile(random: 3_000_000, seed: 1)
        server.script("/slow", .file(file, rate: 1_000_000))
        let id = try daemon.submit("download", server.url("/slow"))
        try daemon.watchBytes(id, atLeast: 200_000)
        let begun = TimeLimit.now
        for _ in 0..<5 { #expect(try daemon.run("list").isSuccess) }
        #expect(TimeLimit.now - begun < 2)
        let paused = TimeLimit.now
        #expect(try daemon.run("pause", "\(id)").isSuccess)
        #expect(TimeLimit.now - paused < 2)
        #expect(try daemon.run("resume", "\(id)").isSuccess)
        #expect(try daemon.wait(id).isSuccess)
        #expect(try TestFiles.read(daemon.path("slow")) == file.bytes)
    }
}
