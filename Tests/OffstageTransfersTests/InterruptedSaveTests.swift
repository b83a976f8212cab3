// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// What becomes of a file that had arrived and was about to get its name when the daemon or the machine stopped.
@Suite struct InterruptedSaveTests {
    private let directory: TemporaryDirectory
    private let workers = WorkerPool(threads: 1)
    private let saver: FileSaver

    init() throws {
        directory = try TemporaryDirectory()
        saver = FileSaver(workers: workers)
    }

    private func recover(isTrusted: Bool, file: FileIdentity? = nil) async -> Result<Int64, TransferFailure> {
        await saver.recover(
            partialPath: directory.path("x.part"),
            target: .init(path: directory.path("target"), overwrites: false),
            file: file,
            isTrusted: isTrusted
        )
    }

    @Test func `a save goes on where only the daemon stopped`() async throws {
        try TestFiles.write([1, 2, 3], to: directory.path("x.part"), mode: 0o600)
        #expect(await recover(isTrusted: true) == .success(3))
        #expect(try TestFiles.read(directory.path("target")) == [1, 2, 3])
    }

    @Test func `what a power loss may have cut is no file, but fetched again`() async throws {
        try TestFiles.write([1], to: directory.path("x.part"), mode: 0o600)
        guard case .failure(let failure) = await recover(isTrusted: false) else {
            Issue.record("a partial file of another boot became the target")
            return
        }
        #expect(failure.retryClass == .connection)
        #expect(!TestFiles.exists(directory.path("target")))
    }
}
