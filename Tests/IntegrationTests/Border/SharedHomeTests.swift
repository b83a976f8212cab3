// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

/// `OFFSTAGE_HOME` is an existing folder that is open to other users.
@Suite struct `A home that others can enter` {
    private let directory: TemporaryDirectory
    private let home: String

    init() throws {
        directory = try TemporaryDirectory()
        home = directory.path("home")
        try TestFiles.makeDirectory(home)
    }

    private func list() throws -> CommandResult {
        try DaemonFixture(settings: nil, home: home).run("list")
    }

    private func mode() throws -> UInt32 {
        var status = stat()
        try #require(stat(home, &status) == 0)
        return status.st_mode & 0o7777
    }

    @Test func `is closed if it is empty`() throws {
        #expect(chmod(home, 0o755) == 0)
        let result = try list()
        #expect(result.isSuccess, "\(result)")
        #expect(try mode() == 0o700)
    }

    @Test func `is left as it is if it holds something else`() throws {
        #expect(chmod(home, 0o755) == 0)
        try TestFiles.write("of everybody", to: home + "/other")
        let result = try list()
        #expect(result.errors.contains("which holds other: name a folder for Offstage alone"), "\(result)")
        #expect(try mode() == 0o755)
        // The command has already opened the log, which receives the daemon's refusal.
        #expect(Set(TestFiles.names(in: home)) == ["daemon.log", "other"])
    }

    /// Like a newly mounted file system in memory.
    @Test func `is closed if everybody may make files in it and nobody has`() throws {
        #expect(chmod(home, 0o1777) == 0)
        let result = try list()
        #expect(result.isSuccess, "\(result)")
        #expect(try mode() == 0o700)
    }

    /// Any process that can open a folder can lock it, and keeps the lock after access is closed off.
    @Test func `starts its daemon although somebody has locked it`() throws {
        #expect(chmod(home, 0o755) == 0)
        let opened = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(opened) }
        #expect(flock(opened, LOCK_SH | LOCK_NB) == 0)
        let result = try list()
        #expect(result.isSuccess, "\(result)")
    }
}
