// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageRuntime
import OffstageTestSupport
import OffstageTransfers
import Testing

/// The outcome for a file that had arrived and was about to get its name when the daemon or the machine stopped.
@Suite struct InterruptedSaveTests {
    private let directory: TemporaryDirectory
    private let workers = WorkerPool(threads: 1)
    private let saver: FileSaver

    init() throws {
        directory = try TemporaryDirectory()
        saver = FileSaver(workers: workers)
    }

    private func recover(
        isTrusted: Bool,
        file: FileIdentity? = nil,
        length: Int64 = 3,
        sha256: String? = nil
    ) async throws -> Result<Int64, TransferFailure> {
        await saver.recover(
            partialPath: directory.path("x.part"),
            target: .init(
                path: directory.path("target"),
                overwrites: false,
                checksum: try sha256.map { try Checksum(parsing: "sha256:\($0)") }
            ),
            file: file,
            length: length,
            isTrusted: isTrusted
        ).map(\.length).mapError(\.failure)
    }

    private func identity(_ name: String) throws -> FileIdentity {
        var status = stat()
        try #require(lstat(directory.path(name), &status) == 0)
        return FileIdentity(status)
    }

    @Test func `a save goes on where only the daemon stopped`() async throws {
        try TestFiles.write([1, 2, 3], to: directory.path("x.part"), mode: 0o600)
        #expect(try await recover(isTrusted: true) == .success(3))
        #expect(try TestFiles.read(directory.path("target")) == [1, 2, 3])
    }

    @Test func `what a power loss may have cut is no file, but fetched again`() async throws {
        try TestFiles.write([1], to: directory.path("x.part"), mode: 0o600)
        guard case .failure(let failure) = try await recover(isTrusted: false) else {
            Issue.record("a partial file of another boot became the target")
            return
        }
        #expect(failure.retryClass == .connection)
        #expect(!TestFiles.exists(directory.path("target")))
    }

    @Test func `a file that had got its name before the stop is the target`() async throws {
        try TestFiles.write([1, 2, 3], to: directory.path("target"), mode: 0o644)
        #expect(try await recover(isTrusted: false, file: try identity("target")) == .success(3))
    }

    /// A file system gives a freed inode number to the next new file.
    @Test func `another file with the number of what was lost is no success`() async throws {
        try TestFiles.write([1, 2], to: directory.path("target"), mode: 0o644)
        let file = try identity("target")
        let ofAnotherLength = try await recover(isTrusted: false, file: file)
        let ofAnotherContent = try await recover(
            isTrusted: false,
            file: file,
            length: 2,
            sha256: String(repeating: "0", count: 64)
        )
        for result in [ofAnotherLength, ofAnotherContent] {
            guard case .failure(let failure) = result else {
                Issue.record("Another file was taken for the one that had arrived.")
                continue
            }
            #expect(failure.retryClass == .connection)
        }
    }

    @Test func `what has arrived counts as arrived when it cannot get its name`() async throws {
        let server = try FaultServer()
        let gate = FaultGate()
        server.script("/file", .held(gate, then: .status(200, body: "content")))
        let harness = try QueueHarness()
        let id = try await harness.download(server.url("/file"), task: 1)
        try eventually("the server is asked") { server.requests.isEmpty ? nil : true }
        try TestFiles.write([1], to: harness.directory.path("task-1"))
        gate.open()
        let transfer = try harness.end(of: id)
        guard case .finished(.failed(let failure, _), _) = transfer.state else {
            Issue.record("A file that was there was replaced.")
            return
        }
        #expect(failure.code == .targetExists)
        #expect(transfer.bytesDone == 7)
    }
}
