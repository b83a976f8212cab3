// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Downloads to a disk that loses accepted data: only the first sync after that reports it.
struct FailedSyncQueueTests {
    let server: FaultServer
    let file = FaultFile(random: 2_000_000, seed: 1)

    init() throws { server = try FaultServer() }

    /// Makes the first sync of this extent fail.
    private static func disk(
        failing extent: FileSync.Extent,
        with code: Int32,
        interval: Int64 = 64 << 20
    ) -> FileSync {
        let count = Monitor(0)
        var sync = FileSync()
        sync.interval = interval
        sync.run = { _, asked in
            guard asked == extent else { return nil }
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? code : nil
        }
        return sync
    }

    @Test func `a sync that fails on the way ends the attempt, and nothing of it is taken for safe`() async throws {
        let gate = FaultGate()
        server.script("/file", .file(file, holdingAfter: 1_000_000, until: gate))
        defer { gate.open() }
        let harness = try QueueHarness(surroundings: {
            $0.sync = Self.disk(failing: .content, with: EIO, interval: 100_000)
        })
        let id = try await harness.download(server.url("/file"), task: 1)
        let transfer = try harness.end(of: id)
        guard case .finished(.failed(let failure, _), _) = transfer.state else {
            Issue.record("\(transfer.state)")
            return
        }
        #expect(failure.code == .targetNotWritable)
        #expect(transfer.partial?.isUnsynced == true && transfer.bytesDone == 0)
        #expect(transfer.resumeData == nil && harness.keptFiles.isEmpty)
        #expect(!TestFiles.exists(harness.directory.path("task-1")))
    }

    @Test func `a sync that fails at the end, as may pass, is not repeated: the file is fetched again`() async throws {
        server.script("/file", .file(file), .file(file))
        let harness = try QueueHarness(surroundings: { $0.sync = Self.disk(failing: .all, with: ETIMEDOUT) })
        let id = try await harness.download(server.url("/file"), task: 1)
        let transfer = try harness.end(of: id)
        #expect(transfer.outcome?.isSuccess == true, "\(transfer.state)")
        #expect(server.requests("/file").map(\.rangeStart) == [nil, nil])
        #expect(try TestFiles.read(harness.directory.path("task-1")) == file.bytes)
    }

    @Test func `a sync that fails at the end for good leaves nothing to go on with`() async throws {
        server.script("/file", .file(file))
        let harness = try QueueHarness(surroundings: { $0.sync = Self.disk(failing: .all, with: EIO) })
        let id = try await harness.download(server.url("/file"), task: 1)
        let transfer = try harness.end(of: id)
        guard case .finished(.failed(let failure, _), _) = transfer.state else {
            Issue.record("\(transfer.state)")
            return
        }
        #expect(failure.code == .targetNotWritable && transfer.resumeData == nil)
        #expect(!TestFiles.exists(harness.directory.path("task-1")))
    }
}
