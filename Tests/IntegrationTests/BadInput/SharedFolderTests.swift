// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

/// Downloads into a folder where other users may create files: the daemon runs as `nobody`, and root plays the other
/// users.
@Suite(.enabled(if: Privileges.canChangeUser, "needs root, to be two users"))
struct `Nobody's file is taken for ours in a shared folder` {
    private static let nobody: UInt32 = 65534
    private static let stranger: UInt32 = 4_000_000
    private let daemon: DaemonFixture
    private let server: FaultServer
    private let file = FaultFile(random: 3_000_000, seed: 4)

    init() throws {
        daemon = try DaemonFixture(asNobody: true)
        server = try FaultServer()
        try TestFiles.makeDirectory(shared)
        #expect(chmod(shared, 0o1777) == 0)
    }

    private var shared: String { daemon.path("shared") }

    /// Derives the name of the next download's partial file from one download.
    private func nextPartialPath() throws -> String {
        let gate = FaultGate()
        server.script("/first", .held(gate, then: .status(200, body: "first")))
        let id = try daemon.submit("download", server.url("/first"), "-o", "shared/first")
        try server.waitForRequests("/first", count: 1)
        let path = try #require(try daemon.show(id).partialPath.string)
        gate.open()
        #expect(try daemon.wait(id).isSuccess)
        return path.replacing("-\(id).part", with: "-\(id + 1).part")
    }

    /// Expects that the file belongs to the user and no other user may write to it.
    private func expectOurs(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var status = stat()
        try #require(lstat(shared + "/" + name, &status) == 0, sourceLocation: sourceLocation)
        #expect(status.st_uid == Self.nobody, sourceLocation: sourceLocation)
        #expect(status.st_mode & 0o022 == 0, sourceLocation: sourceLocation)
        #expect(status.st_nlink == 1, sourceLocation: sourceLocation)
    }

    enum Trap: CaseIterable { case openFile, linkToOurFile, symbolicLink, pipe, directory }

    /// Places a trap where the next partial file will be.
    private func set(_ trap: Trap, at path: String) throws {
        let victim = shared + "/victim"
        try TestFiles.write("of value", to: victim)
        chown(victim, Self.nobody, Self.nobody)
        switch trap {
        case .openFile:
            try TestFiles.write([UInt8](repeating: 7, count: 100), to: path)
            #expect(chmod(path, 0o666) == 0)
        case .linkToOurFile: #expect(link(victim, path) == 0)
        case .symbolicLink: #expect(symlink(victim, path) == 0)
        case .pipe: #expect(mkfifo(path, 0o666) == 0)
        case .directory: #expect(mkdir(path, 0o777) == 0)
        }
        if trap != .linkToOurFile { lchown(path, Self.stranger, Self.stranger) }
    }

    @Test(arguments: Trap.allCases)
    func `what lies at the partial file's name is neither filled nor harmed`(trap: Trap) throws {
        let path = try nextPartialPath()
        try set(trap, at: path)
        server.script("/file", .file(file))
        let sum = try TestFiles.sha256(of: file.bytes)
        let result = try daemon.run(
            "download",
            server.url("/file"),
            "-o",
            "shared/file",
            "--checksum",
            "sha256:\(sum)",
            within: 30
        )
        #expect(result.isSuccess, "\(result)")
        try expectOurs("file")
        #expect(try TestFiles.read(shared + "/file") == file.bytes)
        #expect(try TestFiles.text(shared + "/victim") == "of value")
        if trap == .openFile { #expect(TestFiles.size(path) == 100) }
    }

    /// A world-readable file of the user: a stranger has opened it, and given it that name.
    @Test func `a file of ours that somebody has opened and moved there is not filled`() throws {
        let path = try nextPartialPath()
        try TestFiles.write([UInt8](repeating: 7, count: 100), to: path)
        chown(path, Self.nobody, Self.nobody)
        #expect(chmod(path, 0o644) == 0)
        let opened = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(opened) }
        server.script("/file", .file(file))
        #expect(try daemon.run("download", server.url("/file"), "-o", "shared/file", within: 30).isSuccess)
        #expect(try TestFiles.read(shared + "/file") == file.bytes)
        var status = stat()
        #expect(fstat(opened, &status) == 0 && status.st_size == 100)
    }

    @Test func `under another name a download goes on where it stopped as well`() throws {
        try set(.openFile, at: try nextPartialPath())
        server.script("/file", .stallsInBody(file, after: 1_500_000), .file(file))
        let id = try daemon.submit("download", server.url("/file"), "-o", "shared/file")
        // Queried by the daemon's user: other users get no answer.
        try eventually("what has arrived is in the file") {
            try daemon.show(id).partialPath.string.map { TestFiles.size($0) == 1_500_000 } == true ? true : nil
        }
        try daemon.killDaemon()
        let result = try daemon.wait(id)
        #expect(result.isSuccess, "\(result)")
        #expect(server.requests("/file").map(\.rangeStart) == [nil, 1_500_000])
        try expectOurs("file")
        #expect(try TestFiles.read(shared + "/file") == file.bytes)
        #expect(TestFiles.names(in: shared).filter { $0.hasSuffix(".part") }.count == 1)
    }

    @Test func `a folder that may be written and not read is no hindrance`() throws {
        #expect(chmod(shared, 0o1733) == 0)
        server.script("/file", .file(file))
        let result = try daemon.run("download", server.url("/file"), "-o", "shared/file")
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.read(shared + "/file") == file.bytes)
    }

    @Test func `a private file stays private when it is replaced`() throws {
        try TestFiles.write("old", to: shared + "/file")
        chown(shared + "/file", Self.nobody, Self.nobody)
        #expect(chmod(shared + "/file", 0o600) == 0)
        server.script("/file", .file(file))
        #expect(try daemon.run("download", server.url("/file"), "-o", "shared/file", "--force").isSuccess)
        var status = stat()
        #expect(lstat(shared + "/file", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }
}
