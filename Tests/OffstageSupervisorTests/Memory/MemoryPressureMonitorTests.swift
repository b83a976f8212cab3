// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageRuntime
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
        // Two programs wait for one processor as two would for memory, and do no harm.
        let monitor = try #require(MemoryPressureMonitor(path: "/proc/pressure/cpu"))
        let programs = try (0..<2).map { _ in
            try ChildProcess("/usr/bin/taskset", ["-c", "0", "/bin/sh", "-c", "while :; do :; done"])
        }
        defer { for program in programs { program.kill(SIGKILL) } }
        var item = pollfd(fd: monitor.descriptor, events: Int16(POLLPRI), revents: 0)
        #expect(poll(&item, 1, 30_000) == 1)
        #expect(item.revents == Int16(POLLPRI))
        // The kernel may have reported the machine's past first; the average is updated every two seconds.
        try eventually("proof of the pressure") { monitor.isShort ? true : nil }
    }

    /// An unprivileged trigger is fired by the first stall after its creation, however short, because the kernel
    /// compares it with an old sum. In that case only `total` is high.
    @Test(arguments: [
        ("some avg10=0.00 avg60=0.00 avg300=0.00 total=3414282\nfull avg10=0.00 total=2368003\n", false),
        ("some avg10=0.99 avg60=40.00 avg300=40.00 total=99999999\nfull avg10=50.00 total=0\n", false),
        ("some avg10=1.64 avg60=0.28 avg300=0.05 total=200000\nfull avg10=0.00 total=0\n", true),
        ("some avg10=99.00 avg60=80.00 avg300=50.00 total=1\n", true),
        ("some avg10=nan", false),
        ("", false),
    ])
    func `a report counts only if the kernel's own average proves it`(_ text: String, isShort: Bool) {
        #expect(MemoryPressureMonitor.isShort(PressureReading(text)) == isShort)
    }
}
