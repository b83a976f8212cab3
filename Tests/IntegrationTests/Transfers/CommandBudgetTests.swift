// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct `Commands that people configured have a budget` {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
    }

    @Test func `a helper that prints without end is killed with all it started`() throws {
        server.script("/file", .status(401))
        try daemon.settings(#"{"credentialHelper": "echo $$ > \#(daemon.path("pid")); yes | cat"}"#)
        let id = try daemon.submit("download", server.url("/file"), "--wait-for-credentials")
        try eventually("the helper is killed") { daemon.log.contains("its answer is not used") ? true : nil }
        let text = try TestFiles.text(daemon.path("pid")).split(separator: "\n").first
        let group = try #require(text.flatMap { Int32($0) })
        try eventually("its group is gone") { kill(-group, 0) != 0 ? true : nil }
        try daemon.watch(id, for: "a wait for credentials") { $0.kind == .waiting }
    }

    @Test func `a helper that leaves its output open to another is heard when it ends`() throws {
        server.script("/file", .protected("Bearer x", then: .status(200, body: "content")))
        let script = "(exec cat \(daemon.path("pipe"))) & echo 'Authorization: Bearer x'"
        #expect(mkfifo(daemon.path("pipe"), 0o600) == 0)
        try daemon.settings(#"{"credentialHelper": "\#(script)"}"#)
        let id = try daemon.submit("download", server.url("/file"), "-o", "out", "--wait-for-credentials")
        #expect(try daemon.wait(id, within: 20).isSuccess)
        // Lets the other command end.
        close(open(daemon.path("pipe"), O_WRONLY | O_NONBLOCK))
    }

    @Test func `ends by the dozen run few commands at a time, and each of them`() throws {
        #expect(mkfifo(daemon.path("gate"), 0o600) == 0)
        server.script("/file", .status(200, body: "x"))
        let command = "echo $OFFSTAGE_ID >> \(daemon.path("begun")); read line < \(daemon.path("gate"))"
        for number in 0..<40 {
            _ = try daemon.submit("download", server.url("/file"), "-o", "f\(number)", "--on-done", command)
        }
        func begun() -> Int { ((try? TestFiles.text(daemon.path("begun"))) ?? "").split(separator: "\n").count }
        try eventually("all have ended") {
            try daemon.json("list", "--all").transfers.array.allSatisfy { $0.state.string == "finished" } ? true : nil
        }
        try eventually("some have begun") { begun() >= 8 ? true : nil }
        #expect(begun() == 8)
        // Each command that reads its line lets another begin.
        try eventually("all have begun") {
            let gate = open(daemon.path("gate"), O_WRONLY | O_NONBLOCK)
            if gate >= 0 {
                _ = write(gate, "\n", 1)
                close(gate)
            }
            return begun() == 40 ? true : nil
        }
    }

    @Test func `a command is given no descriptor of the daemon`() throws {
        server.script("/file", .status(200, body: "x"))
        let id = try daemon.submit(
            "download",
            server.url("/file"),
            "-o",
            "out",
            "--on-done",
            "ls /proc/$$/fd > \(daemon.path("list")); mv \(daemon.path("list")) \(daemon.path("fds"))"
        )
        #expect(try daemon.wait(id).isSuccess)
        let names = try eventually("the command has run") { try? TestFiles.text(daemon.path("fds")) }
        // The shell's own descriptors are 10 and above.
        #expect(names.split(separator: "\n").compactMap { Int($0) }.filter { $0 < 10 }.max() == 2, "\(names)")
    }
}
