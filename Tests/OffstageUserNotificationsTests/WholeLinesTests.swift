// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

@Suite struct WholeLinesTests {
    /// Python's `print` writes a line in as many pieces as it has arguments: under load, `close 3` was read as `close`.
    @Test func `a line of a program counts once it is whole`() throws {
        let program = try ChildProcess("/bin/sh", ["-c", #"printf 'ready\nclose'; exec sleep 60"#])
        defer { program.kill(SIGKILL) }
        try eventually("a piece of a line") { program.output.hasSuffix("close") ? true : nil }
        #expect(program.lines == ["ready"])
    }
}
