// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import COffstageTestSupport
import Glibc
import OffstageCore
import OffstageSupervisor
import OffstageTestSupport
import Testing

@Suite struct `A process in a terminal` {
    /// A terminal whose window is this test.
    private final class Terminal: Sendable {
        let window: Int32
        let device: Int32

        init() throws {
            var name = [CChar](repeating: 0, count: 64)
            window = offstage_test_open_terminal(&name, name.count)
            guard window >= 0 else { throw TestError.system("No terminal can be made") }
            device = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
            guard device >= 0 else { throw TestError.system("The terminal cannot be opened") }
        }

        deinit {
            close(device)
            close(window)
        }
    }

    @Test func `one that does not know how large it is has the usual size`() throws {
        // Like a serial line, or a container's terminal: its size is not set.
        let terminal = try Terminal()
        #expect(offstage_terminal_columns(terminal.device) == 80)
        #expect(offstage_terminal_rows(terminal.device) == 24)
        let file = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(file) }
        #expect(offstage_terminal_columns(file) == 0 && offstage_terminal_rows(file) == 0)
    }

    @Test func `it knows whether its group is in front, stopped or not`() throws {
        let terminal = try Terminal()
        // A shell with job control, whose background job has its own group.
        let family = try Family(
            "setsid -c sh -c 'echo $$ > front; set -m; sleep 1000 & echo $! > behind; set +m; sleep 1000' <&1 & wait",
            members: ["front", "behind"],
            terminal: terminal.device
        )
        let (front, behind) = (try family.process("front"), try family.process("behind"))
        try eventually("the job has its own group") { behind.leadsGroup ? true : nil }
        let standing = try #require(front.terminalStanding())
        #expect(!standing.isStopped)
        #expect(standing.isInFront)
        #expect(behind.terminalStanding()?.isInFront == false)
        behind.stop()
        try eventually("the job is stopped") { behind.terminalStanding()?.isStopped == true ? true : nil }
        #expect(behind.terminalStanding()?.isInFront == false)
        #expect(front.terminalStanding()?.isStopped == false)
    }

    @Test func `one without a terminal stands nowhere`() throws {
        let family = try Family("setsid sleep 1000 & echo $! > app; wait", members: ["app"])
        let app = try family.process("app")
        try eventually("it is in a session of its own") { app.leadsGroup ? true : nil }
        #expect(app.terminalStanding() == nil)
    }
}
