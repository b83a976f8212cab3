// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageRuntime
import OffstageTestSupport
import OffstageTransfers
import Testing

/// How a complete file gets its name.
@Suite struct FileSaverTests {
    private let directory: TemporaryDirectory
    private let workers = WorkerPool(threads: 1)
    private let saver: FileSaver

    init() throws {
        directory = try TemporaryDirectory()
        saver = FileSaver(workers: workers)
    }

    private func save(
        _ name: String,
        overwrites: Bool = true,
        behind partial: String = "x.part"
    ) async throws -> Result<Int64, TransferFailure> {
        let file = open(directory.path(name), O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        return await saver.save(
            .init(
                fileDescriptor: file,
                partialPath: directory.path(partial),
                target: .init(path: directory.path("target"), overwrites: overwrites)
            )
        ).map(\.length).mapError(\.failure)
    }

    private func mode(_ name: String) throws -> UInt32 {
        var status = stat()
        try #require(lstat(directory.path(name), &status) == 0)
        return status.st_mode & 0o7777
    }

    @Test(arguments: [0o600, 0o640, 0o755, 0o444] as [UInt32])
    func `what is replaced lends its permissions`(permissions: UInt32) async throws {
        try TestFiles.write([1, 2, 3], to: directory.path("x.part"), mode: 0o600)
        try TestFiles.write("old", to: directory.path("target"))
        #expect(chmod(directory.path("target"), permissions) == 0)
        #expect(try await save("x.part") == .success(3))
        #expect(try mode("target") == permissions)
        #expect(try TestFiles.read(directory.path("target")) == [1, 2, 3])
    }

    @Test(arguments: [false, true]) func `the digest of a saved file is known if it is wanted`(wants: Bool) async throws
    {
        try TestFiles.write("abc", to: directory.path("x.part"))
        let target = TransferSpec.DownloadTarget(path: directory.path("target"))
        let file = open(directory.path("x.part"), O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        let job = FileSaver.Job(
            fileDescriptor: file,
            partialPath: directory.path("x.part"),
            target: target,
            wantsDigest: wants
        )
        let digest = try Checksum(
            parsing: "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        #expect(await saver.save(job) == .success(.init(length: 3, digest: wants ? digest : nil)))
        // A daemon that died between the rename and its commit computes the digest from the target.
        var status = stat()
        try #require(stat(target.path, &status) == 0)
        let again = await saver.recover(
            partialPath: directory.path("x.part"),
            target: target,
            file: FileIdentity(status),
            length: 3,
            wantsDigest: wants,
            isTrusted: false
        )
        #expect(again == .success(.init(length: 3, digest: wants ? digest : nil)))
    }

    @Test func `the right to become its owner is not lent`() async throws {
        try TestFiles.write([1], to: directory.path("x.part"), mode: 0o600)
        try TestFiles.write("old", to: directory.path("target"))
        #expect(chmod(directory.path("target"), 0o6755) == 0)
        #expect(try await save("x.part") == .success(1))
        #expect(try mode("target") == 0o755)
    }

    @Test func `a new file has what any program's new file has`() async throws {
        try TestFiles.write([1], to: directory.path("x.part"), mode: 0o600)
        try TestFiles.write([1], to: directory.path("other"), mode: 0o666)
        #expect(try await save("x.part", overwrites: false) == .success(1))
        #expect(try mode("target") == mode("other"))
    }

    @Test func `a symbolic link is replaced and not followed`() async throws {
        try TestFiles.write([1], to: directory.path("x.part"), mode: 0o600)
        try TestFiles.write("mine", to: directory.path("elsewhere"))
        #expect(symlink(directory.path("elsewhere"), directory.path("target")) == 0)
        #expect(try await save("x.part") == .success(1))
        #expect(try TestFiles.text(directory.path("elsewhere")) == "mine")
        #expect(try TestFiles.read(directory.path("target")) == [1])
    }

    @Test func `another file in the place of what arrived does not get the name`() async throws {
        try TestFiles.write([1], to: directory.path("arrived"), mode: 0o600)
        try TestFiles.write([2], to: directory.path("x.part"), mode: 0o666)
        guard case .failure(let failure) = try await save("arrived") else {
            Issue.record("It was taken for the file.")
            return
        }
        #expect(failure.code == .connectionLost)
        #expect(failure.detail.contains("another user or program replaced"))
        #expect(!TestFiles.exists(directory.path("target")))
    }

    @Test func `what arrived and was deleted meanwhile is told as that, and fetched again`() async throws {
        try TestFiles.write([1], to: directory.path("arrived"), mode: 0o600)
        guard case .failure(let failure) = try await save("arrived") else {
            Issue.record("It was taken for the file.")
            return
        }
        #expect(failure.code == .connectionLost)
        #expect(failure.detail == "another user or program deleted \(directory.path("x.part"))")
    }

    @Test func `after a crash only a file of our own is gone on with`() async throws {
        try TestFiles.write([1, 2], to: directory.path("x.part"), mode: 0o600)
        let target = TransferSpec.DownloadTarget(path: directory.path("target"))
        #expect(chmod(directory.path("x.part"), 0o666) == 0)
        let refused = await saver.recover(
            partialPath: directory.path("x.part"),
            target: target,
            file: nil,
            length: 2,
            isTrusted: true
        )
        guard case .failure(let failure) = refused else {
            Issue.record("A file that anybody may write was taken.")
            return
        }
        #expect(failure.failure.retryClass == .connection)
        #expect(chmod(directory.path("x.part"), 0o600) == 0)
        #expect(
            await saver.recover(
                partialPath: directory.path("x.part"),
                target: target,
                file: nil,
                length: 2,
                isTrusted: true
            ) == .success(FileSaver.Saved(length: 2))
        )
    }

    /// A file whose digest is needed is synced along with it.
    @Test(arguments: [false, true]) func `a failed sync is told as one, and the file does not get its name`(
        isHashed: Bool
    ) async throws {
        try TestFiles.write([1, 2, 3], to: directory.path("x.part"), mode: 0o600)
        for (trouble, code) in [
            (EIO, .targetNotWritable), (ENOSPC, .diskFull), (ETIMEDOUT, .daemonInterrupted),
        ] as [(Int32, TransferFailure.Code)] {
            var sync = FileSync()
            sync.run = { _, _ in trouble }
            let file = open(directory.path("x.part"), O_RDWR | O_CLOEXEC)
            try #require(file >= 0)
            let job = FileSaver.Job(
                fileDescriptor: file,
                partialPath: directory.path("x.part"),
                target: .init(path: directory.path("target")),
                wantsDigest: isHashed
            )
            guard case .failure(let failed) = await FileSaver(workers: workers, sync: sync).save(job) else {
                Issue.record("A file that was lost became the target.")
                return
            }
            #expect(failed.isOfSync && failed.failure.code == code)
            #expect(!TestFiles.exists(directory.path("target")) && TestFiles.exists(directory.path("x.part")))
        }
    }

    @Test func `without a descriptor to spare nothing is taken for deleted`() async throws {
        try TestFiles.write([1, 2], to: directory.path("folder"), mode: 0o600)
        // A path component that is not a folder: the same as a missing file, and never a success.
        let target = TransferSpec.DownloadTarget(path: directory.path("folder/target"))
        let found = await saver.recover(
            partialPath: directory.path("folder/x.part"),
            target: target,
            file: nil,
            length: 2,
            isTrusted: true
        )
        guard case .failure = found else {
            Issue.record("Nothing was taken for a file.")
            return
        }
    }
}
