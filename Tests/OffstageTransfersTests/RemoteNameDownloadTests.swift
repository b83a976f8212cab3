// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Downloads whose files are named by the server.
@Suite struct RemoteNameDownloadTests {
    private let server: FaultServer
    private let harness: QueueHarness
    private let folder: String

    init() throws {
        server = try FaultServer()
        harness = try QueueHarness()
        folder = harness.directory.path("in")
        try TestFiles.makeDirectory(folder)
    }

    private func file(_ count: Int, named name: String) -> FaultFile {
        var file = FaultFile(random: count, seed: 1)
        file.headers = [HeaderField(name: "Content-Disposition", value: "attachment; filename=\"\(name)\"")]
        return file
    }

    private func download(_ path: String, task: Int, overwrites: Bool = false) async throws -> TransferID {
        var target = TransferSpec.DownloadTarget(path: folder + "/get.php", overwrites: overwrites)
        target.remoteName = .wanted
        return try await harness.download(server.url(path), task: task) { $0.direction = .download(target) }
    }

    @Test(arguments: [10, 3_000_000])
    func `the file has the name that the server gives, and no other`(count: Int) async throws {
        let file = file(count, named: "../../disk.iso")
        server.script("/get.php", .file(file))
        let ended = try harness.end(of: try await download("/get.php", task: 1))
        #expect(ended.outcome?.isSuccess == true && ended.spec.path == folder + "/disk.iso")
        #expect(try TestFiles.read(folder + "/disk.iso") == file.bytes)
        #expect(TestFiles.names(in: folder) == ["disk.iso"])
    }

    @Test(arguments: [10, 3_000_000])
    func `a name that begins with a mark leads nowhere else`(count: Int) async throws {
        var file = FaultFile(random: count, seed: 1)
        file.headers = [HeaderField(name: "Content-Disposition", value: "attachment; filename*=UTF-8''%CC%81x")]
        server.script("/get.php", .file(file))
        let ended = try harness.end(of: try await download("/get.php", task: 1))
        #expect(ended.outcome?.isSuccess == true, "\(ended.state)")
        #expect(try TestFiles.read(folder + "/\u{301}x") == file.bytes)
        #expect(TestFiles.names(in: folder).count == 1)
        #expect(!TestFiles.names(in: harness.directory.path).contains { $0.hasPrefix(".offstage") })
    }

    @Test func `a break in the middle is gone on with, and the name stays`() async throws {
        let file = file(3_000_000, named: "disk.iso")
        server.script("/get.php", .cut(file, after: 2_000_000), .file(file))
        let ended = try harness.end(of: try await download("/get.php", task: 1))
        #expect(ended.outcome?.isSuccess == true)
        #expect(try TestFiles.read(folder + "/disk.iso") == file.bytes)
        #expect(TestFiles.names(in: folder) == ["disk.iso"])
        #expect(try server.waitForRequests("/get.php", count: 2).compactMap(\.rangeStart).count == 1)
    }

    @Test(arguments: [10, 3_000_000])
    func `what is there under that name is not replaced`(count: Int) async throws {
        try TestFiles.write("mine", to: folder + "/disk.iso")
        // At this rate the whole file would take minutes: the end is decided by the head.
        server.script("/get.php", .file(file(count, named: "disk.iso"), rate: count > 100 ? 20_000 : nil))
        let ended = try harness.end(of: try await download("/get.php", task: 1))
        guard case .failed(let failure, _)? = ended.outcome else {
            Issue.record("It is \(ended.state).")
            return
        }
        #expect(failure.code == .targetExists)
        #expect(failure.detail == "\(folder)/disk.iso already exists")
        #expect(try TestFiles.text(folder + "/disk.iso") == "mine")
        try eventually("no partial file is left") { TestFiles.names(in: folder) == ["disk.iso"] ? true : nil }
    }

    @Test func `what is there is replaced where that was asked for, and a directory never is`() async throws {
        try TestFiles.write("mine", to: folder + "/disk.iso")
        try TestFiles.makeDirectory(folder + "/d")
        let file = file(2_000_000, named: "disk.iso")
        server.script("/get.php", .file(file))
        server.script("/directory", .file(self.file(2_000_000, named: "d"), rate: 20_000))
        let ended = try harness.end(of: try await download("/get.php", task: 1, overwrites: true))
        #expect(ended.outcome?.isSuccess == true)
        #expect(try TestFiles.read(folder + "/disk.iso") == file.bytes)
        let refused = try harness.end(of: try await download("/directory", task: 2, overwrites: true))
        guard case .failed(let failure, _)? = refused.outcome else {
            Issue.record("It is \(refused.state).")
            return
        }
        #expect(failure.detail == "\(folder)/d is a directory")
    }

    @Test func `of two that are given one name the second yields`() async throws {
        server.script("/one", .file(file(3_000_000, named: "same"), rate: 50_000))
        server.script("/two", .file(file(3_000_000, named: "same"), rate: 50_000))
        let first = try await download("/one", task: 1)
        try harness.waitForProgress(ofTask: 1, beyond: 10_000)
        let second = try harness.end(of: try await download("/two", task: 2, overwrites: true))
        guard case .failed(let failure, _)? = second.outcome else {
            Issue.record("The second download was let in: \(second.state)")
            return
        }
        #expect(failure.code == .targetExists)
        #expect(failure.detail == "transfer \(first) is already fetching \(folder)/same")
        #expect(await harness.queue.snapshots([first]).first?.transfer.state.kind == .running)
        try await harness.queue.cancel(first)
        _ = try harness.end(of: first)
    }

    @Test func `two small ones that are given one name do not replace each other`() async throws {
        let files = [file(100, named: "same"), file(200, named: "same")]
        server.script("/0", .file(files[0]))
        server.script("/1", .file(files[1]))
        let ids = [try await download("/0", task: 1), try await download("/1", task: 2)]
        let outcomes = try ids.map { try harness.end(of: $0).outcome?.isSuccess }
        #expect(outcomes.filter { $0 == true }.count == 1)
        let winner = try #require(outcomes.firstIndex(of: true))
        #expect(try TestFiles.read(folder + "/same") == files[winner].bytes)
        // The other download's partial file is deleted after its end is reported.
        try eventually("only the file is left") { TestFiles.names(in: folder) == ["same"] ? true : nil }
    }
}
