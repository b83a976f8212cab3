// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageSupervisor
import OffstageTestSupport
import Testing

@Suite struct `Hearing that memory is short` {
    private static let isThere = MemoryPressureMonitor() != nil

    @Test func `nothing is heard where the kernel does not tell`() throws {
        #expect(MemoryPressureMonitor(path: "/nonexistent/memory") == nil)
        #expect(MemoryPressureMonitor(path: "/proc/self/status") == nil)
    }

    @Test func `a trigger that is refused closes nothing but its own file`() throws {
        let lost = try DescriptorRival.lost {
            for _ in 0..<20_000 { #expect(MemoryPressureMonitor(path: "/proc/self/oom_score_adj") == nil) }
        }
        #expect(lost == 0)
    }

    @Test(.enabled(if: isThere, "needs pressure stall information"))
    func `the kernel's word comes as an urgent event`() throws {
        // Two programs for one processor wait as two for memory do, and harm nobody.
        let monitor = try #require(MemoryPressureMonitor(path: "/proc/pressure/cpu"))
        let programs = try (0..<2).map { _ in
            try ChildProcess("/usr/bin/taskset", ["-c", "0", "/bin/sh", "-c", "while :; do :; done"])
        }
        defer { for program in programs { program.kill(SIGKILL) } }
        var item = pollfd(fd: monitor.descriptor, events: Int16(POLLPRI), revents: 0)
        #expect(poll(&item, 1, 30_000) == 1)
        #expect(item.revents == Int16(POLLPRI))
    }
}
