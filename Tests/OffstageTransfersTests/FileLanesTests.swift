// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageRuntime
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Each file system has its own threads.
@Suite struct FileLanesTests {
    private let lanes = FileLanes(workers: WorkerPool(threads: 1), homePath: "/", sync: FileSync())

    @Test func `the daemon's own file system has the usual threads`() {
        #expect(lanes.lane(for: "/etc/passwd").isHome)
        #expect(!lanes.lane(for: "/proc/self/status").isHome)
        #expect(lanes.lane(for: "/proc/self/status").workers === lanes.lane(for: "/proc/1/status").workers)
        lanes.shutDown()
    }

    @Test func `a call that does not return holds up nobody elsewhere, and no stop for long`() async throws {
        let gate = Monitor(false)
        let hanging = lanes.lane(for: "/proc/self/status").workers
        for _ in 0..<8 {
            hanging.submit { _ = gate.wait(TimeLimit(seconds: 60)) { $0 ? true : nil } }
        }
        #expect(await lanes.lane(for: "/etc/passwd").workers.run { 7 } == 7)
        lanes.shutDown()
        gate.withLock { $0 = true }
    }

    @Test func `what a request reads besides counts as a file of the transfer`() throws {
        let stage = try QueueStage()
        _ = try stage.submit(stage.download("a") { $0.certificateAuthorityPath = "/proc/self/status" })
        var status = stat()
        #expect(stat("/proc", &status) == 0)
        #expect(stage.network.underWay.first?.fileSystems.contains(UInt64(status.st_dev)) == true)
        let plain = try stage.submit(stage.download("b"))
        let other = stage.network.underWay.first { $0.id == plain.first }
        #expect(other?.fileSystems.count == 1)
    }

    @Test func `a form is opened by the threads for the file that is elsewhere`() throws {
        let stage = try QueueStage()
        let sources = ["/etc/passwd", "/proc/self/status", "/etc/group"]
        #expect(lanes.firstElsewhere(sources) == "/proc/self/status")
        #expect(lanes.firstElsewhere(["/etc/passwd", "/proc/../etc/group"]) == nil)
        #expect(
            lanes.lane(for: try stage.download("a") { $0.direction = .download(.init(path: "/proc/x")) }).workers
                === lanes.lane(for: "/proc/1/status").workers
        )
        lanes.shutDown()
    }
}
