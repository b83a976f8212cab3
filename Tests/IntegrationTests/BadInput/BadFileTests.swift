// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

/// What can happen to the local file while it is sent or fetched.
@Suite struct `Files that change or cannot be written` {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
        server.script("/slow", .readsSlowly(1_500_000))
    }

    /// Starts an upload that takes two seconds and returns once part of it has been sent.
    private func beginUpload(_ options: String...) throws -> Int {
        _ = try daemon.makeFile("file", bytes: 6_000_000)
        let id = try daemon.run(["upload", "file", server.url("/slow"), "--detach"] + options).lines.last.flatMap {
            Int($0)
        }
        let number = try #require(id)
        try daemon.watchBytes(number, atLeast: 500_000)
        return number
    }

    private func expectChangeNoticed(_ id: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let result = try daemon.wait(id)
        expectSentence(result, code: 1, sourceLocation: sourceLocation)
        let row = try daemon.show(id)
        #expect(row.result.string == "failed", sourceLocation: sourceLocation)
        #expect(
            ["sourceChanged", "sourceMissing"].contains(row.reason.failure.string ?? ""),
            "\(row.reason)",
            sourceLocation: sourceLocation
        )
    }

    @Test func `a file that is truncated while it is sent is no success`() throws {
        let bystander = try Bystander(daemon)
        let id = try beginUpload()
        #expect(truncate(daemon.path("file"), 100_000) == 0)
        try expectChangeNoticed(id)
        try bystander.expectArrival()
    }

    @Test func `a file that grows while it is sent is no success`() throws {
        let id = try beginUpload()
        let file = open(daemon.path("file"), O_WRONLY | O_APPEND)
        #expect(write(file, "more", 4) == 4)
        close(file)
        try expectChangeNoticed(id)
    }

    @Test func `a file that is rewritten in place while it is sent is no success`() throws {
        let id = try beginUpload()
        let file = open(daemon.path("file"), O_WRONLY)
        #expect(pwrite(file, "changed", 7, 5_000_000) == 7)
        close(file)
        try expectChangeNoticed(id)
    }

    @Test func `a file that is deleted while it is sent is no success`() throws {
        let bystander = try Bystander(daemon)
        let id = try beginUpload()
        #expect(unlink(daemon.path("file")) == 0)
        try expectChangeNoticed(id)
        try bystander.expectArrival()
    }

    @Test func `a file that is replaced while it waits is no success`() throws {
        _ = try daemon.makeFile("file", bytes: 10_000)
        let id = try daemon.submit("upload", "file", server.url("/slow"), "--begin", "+1h")
        try TestFiles.makeRandom(daemon.path("new"), bytes: 10_000, seed: 77)
        #expect(rename(daemon.path("new"), daemon.path("file")) == 0)
        #expect(try daemon.run("retry", "\(id)").isSuccess)
        try expectChangeNoticed(id)
        #expect(server.requests.allSatisfy { !$0.isWhole })
    }

    @Test func `a snapshot is sent as it was, and is deleted afterwards`() throws {
        let content = try daemon.makeFile("file", bytes: 6_000_000)
        let id = try beginUpload("--snapshot")
        try TestFiles.write("edited", to: daemon.path("file"))
        let result = try daemon.wait(id)
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.sha256(of: server.requests("/slow")[0].body) == content.sha256)
        try eventually("the copy is deleted") { TestFiles.names(in: daemon.home + "/snapshots").isEmpty ? true : nil }
    }

    @Test func `a directory that goes away while a file is fetched is told`() throws {
        let gate = FaultGate()
        server.script("/held", .held(gate, then: .status(200, body: "content")))
        try TestFiles.makeDirectory(daemon.path("folder"))
        let bystander = try Bystander(daemon)
        let id = try daemon.submit("download", server.url("/held"), "-o", "folder/out")
        try server.waitForRequests("/held", count: 1)
        for name in TestFiles.names(in: daemon.path("folder")) { unlink(daemon.path("folder/" + name)) }
        #expect(rmdir(daemon.path("folder")) == 0)
        gate.open()
        expectSentence(try daemon.wait(id), code: 1)
        try bystander.expectArrival()
    }

    @Test(.enabled(if: Privileges.canMount, "needs root and the right to mount"))
    func `a disk that is too small is told before anything is sent`() throws {
        let disk = try MountedDisk(daemon.path("disk"), megabytes: 2)
        defer { disk.unmount() }
        let big = FaultFile(random: 5_000_000, seed: 1)
        server.script("/big", .file(big))
        let bystander = try Bystander(daemon)
        let result = try daemon.run("download", server.url("/big"), "-o", "disk/big")
        expectSentence(result, code: 1, "disk")
        #expect(result.errors.contains("space"))
        #expect(!TestFiles.exists(daemon.path("disk/big")))
        #expect(server.bodyBytesSent("/big") < 5_000_000)
        try bystander.expectArrival()
    }

    @Test(.enabled(if: Privileges.canMount, "needs root and the right to mount"))
    func `a disk that fills up keeps what has arrived, and retry goes on`() throws {
        let disk = try MountedDisk(daemon.path("disk"), megabytes: 4)
        defer { disk.unmount() }
        let file = FaultFile(random: 3_000_000, seed: 1)
        // Its length is not stated, so only a write shows that it does not fit.
        server.script(
            "/file",
            FaultAnswer {
                try $0.sendHead(200, file.validators)
                try $0.sendBody(file.bytes[...], rate: 2_000_000)
                $0.close()
            },
            .file(file)
        )
        let id = try daemon.submit("download", server.url("/file"), "-o", "disk/file")
        try daemon.watchBytes(id, atLeast: 300_000)
        try TestFiles.makeRandom(daemon.path("filler"), bytes: 3_900_000, seed: 3)
        _ = try? TestFiles.write(TestFiles.read(daemon.path("filler")), to: daemon.path("disk/filler"))
        let result = try daemon.wait(id)
        expectSentence(result, code: 1, "full")
        #expect(try daemon.show(id).reason.failure.string == "diskFull")
        #expect(unlink(daemon.path("disk/filler")) == 0)
        #expect(try daemon.run("retry", "\(id)").isSuccess)
        let second = try daemon.wait(id)
        #expect(second.isSuccess, "\(second)")
        #expect(try TestFiles.read(daemon.path("disk/file")) == file.bytes)
    }

    @Test(.enabled(if: Privileges.canMount, "needs root and the right to mount"))
    func `a target that is read-only is told`() throws {
        let disk = try MountedDisk(daemon.path("disk"), megabytes: 4)
        defer { disk.unmount() }
        server.script("/file", .status(200, body: "content"))
        let bystander = try Bystander(daemon)
        // Handed over while the disk is writable, and begun when it no longer is.
        let id = try daemon.submit("download", server.url("/file"), "-o", "disk/early", "--begin", "+1h")
        try disk.makeReadOnly()
        expectSentence(try daemon.run("download", server.url("/file"), "-o", "disk/late"), code: 1, "read-only")
        #expect(try daemon.run("retry", "\(id)").isSuccess)
        expectSentence(try daemon.wait(id), code: 1)
        #expect(try daemon.show(id).reason.failure.string == "targetNotWritable")
        try bystander.expectArrival()
    }
}
