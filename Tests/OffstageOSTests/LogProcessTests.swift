// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

/// A process that logs and locks.
@Suite struct LogProcessTests {
    private func run(_ command: String, _ log: String, _ mode: String? = nil) throws -> CommandResult {
        var environment = ChildProcess.inheritedEnvironment
        environment["OFFSTAGE_OS_LOG"] = log
        environment["OS_ACTIVITY_MODE"] = mode
        return try ChildProcess.run(BuiltProducts.path("LogApp"), [command], environment: environment)
    }

    /// Lines without their time and process number.
    private func messages(_ result: CommandResult) -> [String] {
        result.errors.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 3).last.map(String.init) ?? "" }
    }

    @Test func `a process logs to standard error what its environment asks for`() throws {
        let usual = try run("log", "stderr")
        #expect(usual.isSuccess)
        #expect(
            messages(usual) == [
                "notice com.example.log:main: a notice, 4 of <private>", "warning com.example.log:main: a warning",
                "error com.example.log:main: an error\\nwith <0> lines", "fault com.example.log:main: a critical",
                "fault com.example.log:main: a fault",
            ]
        )
        #expect(usual.errors.split(separator: "\n").allSatisfy { $0.contains("Z LogApp[") })
        let all = try messages(run("log", "debug,stderr"))
        #expect(all.count == 9 && all.last == "info formatted shown <private> 4")
        #expect(try run("log", "off,stderr").errors.isEmpty)
        #expect(try run("log", "debug,stderr", "disable").errors.isEmpty)
        #expect(
            try run("log", "of,fault,stderr").errors.hasPrefix(
                "os: OFFSTAGE_OS_LOG says of, which means nothing here (docs/logging.md).\n"
            )
        )
    }

    @Test func `a process that logs faster than anybody reads goes on, and its lines are whole`() throws {
        let result = try run("flood", "stderr")
        #expect(result.isSuccess && result.output == "done\n")
        // Lines that the reader did not receive in time are reported, unless nothing came after them.
        let lines = result.errors.split(separator: "\n")
        let whole = lines.filter { $0.contains("Z LogApp[") && $0.hasSuffix(String(repeating: "x", count: 100)) }
        let notes = lines.filter { $0.hasPrefix("os: lost entries, since nobody read in time: ") }
        #expect(!whole.isEmpty && whole.count + notes.count == lines.count)
        #expect(whole.count <= 20_000)
    }

    @Test func `a process without standard error logs into nothing and lives`() throws {
        let result = try run("close-and-log", "stderr")
        #expect(result.isSuccess && result.output == "done\n")
    }

    @Test(arguments: [
        ("lock-twice", "os_unfair_lock: a thread locks a lock that it holds.\n"),
        ("unlock-unlocked", "os_unfair_lock: a thread unlocks a lock that it does not hold.\n"),
        ("expect-unlocked", "os_unfair_lock: a thread is expected to hold a lock, and does not.\n"),
    ])
    func `a lock that is used wrongly ends the process with a sentence`(command: String, sentence: String) throws {
        let result = try run(command, "stderr")
        #expect(result.status == .signalled(SIGABRT) && result.errors.hasPrefix(sentence), "\(result)")
    }
}
