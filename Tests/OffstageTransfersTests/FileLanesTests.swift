// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageRuntime
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Each file system has threads of its own.
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
}
