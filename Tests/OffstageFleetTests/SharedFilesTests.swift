// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageFleet
import OffstageTestSupport
import Testing

/// A member only hands files of its shares to its daemon, whatever others do in the shares meanwhile.
@Suite struct SharedFilesTests {
    private let folder: TemporaryDirectory
    private let files: SharedFiles

    init() throws {
        folder = try TemporaryDirectory()
        try TestFiles.makeDirectory(folder.path("shared"))
        var settings = MemberSettings(database: "host=/nonexistent", fleet: "f", name: "one", key: "/k")
        settings.shares = [folder.path("shared")]
        files = SharedFiles(settings)
    }

    /// A file of ten bytes, always with the same time.
    private func file(_ name: String) throws -> String {
        let path = folder.path(name)
        try TestFiles.write("0123456789", to: path)
        let times = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 1000, tv_nsec: 0)]
        guard utimensat(AT_FDCWD, path, times, 0) == 0 else { throw TestError.system(path) }
        return path
    }

    private func number(_ path: String) throws -> UInt64 {
        var status = stat()
        guard stat(path, &status) == 0 else { throw TestError.system(path) }
        return UInt64(status.st_ino)
    }

    /// A row that sends such a file, as submitted by another machine.
    private func row(_ path: String) throws -> (FleetGrant, TransferSpec) {
        let identity = FileIdentity(
            device: 99,
            inode: 99,
            size: 10,
            modified: FileIdentity.nanoseconds(seconds: 1000, and: 0)
        )
        let spec = TransferSpec(
            direction: .upload(.init(path: path, identity: identity)),
            url: try RequestURL("https://files.example/in"),
            owner: "fleet"
        )
        return (try #require(FleetGrant(row: 1, fence: 1)), spec)
    }

    private func look(_ path: String) throws -> Result<TransferSpec, SharedFiles.Refusal> {
        try #require(files.look(at: [row(path)]).first).result
    }

    @Test func `a link is followed to a file that is shared, and to no other`() throws {
        let plain = try file("shared/plain")
        let secret = try file("secret")
        let (inside, outside) = (folder.path("shared/inside"), folder.path("shared/outside"))
        #expect(symlink(plain, inside) == 0 && symlink(secret, outside) == 0)
        let source = try #require(try look(inside).get().sources.first)
        #expect(try source.path == plain && source.identity.inode == number(plain))
        for path in [outside, secret, "/dev/null"] {
            guard case .failure(let refusal) = try look(path) else {
                Issue.record("\(path) would be sent")
                continue
            }
            #expect(refusal.end.isOfMachine && refusal.end.detail?.contains("does not share") == true)
        }
    }

    @Test func `a pipe and a folder are no files, and nobody waits for a pipe`() throws {
        let pipe = folder.path("shared/pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        try TestFiles.makeDirectory(folder.path("shared/folder"))
        for path in [pipe, folder.path("shared/folder")] {
            guard case .failure(let refusal) = try look(path) else {
                Issue.record("\(path) would be sent")
                continue
            }
            #expect(refusal.end.detail?.contains("is not a file") == true)
        }
    }

    @Test func `a link that takes a file's place while it is looked at leads nowhere else`() throws {
        let secret = try number(file("secret"))
        let plain = try file("shared/plain")
        let (wanted, link) = (try number(plain), folder.path("shared/link"))
        #expect(symlink(folder.path("secret"), link) == 0)
        var sent: Set<UInt64> = []
        func look() throws {
            guard case .success(let spec) = try self.look(plain) else { return }
            for source in spec.sources { sent.insert(source.identity.inode) }
        }
        try look()
        // The same name is alternately the file and the link to the other, as fast as possible.
        let hasEnded = Monitor(false)
        try TestThread.start {
            while offstage_exchange(plain, link) == 0 {}
            hasEnded.withLock { $0 = true }
        }
        for _ in 0..<10_000 { try look() }
        // From here on, the exchange finds only one of the two names.
        unlink(link)
        #expect(hasEnded.wait(TimeLimit(seconds: 20)) { $0 ? true : nil } == true)
        #expect(!sent.contains(secret))
        #expect(sent == [wanted])
    }
}
