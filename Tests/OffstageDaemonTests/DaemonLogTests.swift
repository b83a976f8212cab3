// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageHost
import OffstageTestSupport
import Testing

/// The daemon's log, written to a file in place of standard error.
@Suite struct DaemonLogTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("log")
    }

    /// The text that a log writes to a file, if the log is told that the journal reads `stream` of the file.
    private func text(
        _ stream: (stat) -> String?,
        _ body: (DaemonLog) -> Void
    ) throws -> String {
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        var status = stat()
        #expect(fstat(file, &status) == 0)
        body(DaemonLog(descriptor: file, journalStream: stream(status)))
        return try TestFiles.text(path)
    }

    @Test func `lines for the journal begin with a priority`() throws {
        let written = try text({ "\($0.st_dev):\($0.st_ino)" }) { output in
            let log = output.log(least: .notice)
            log.notice("started", ["process": 4])
            log.error("it failed")
            log.debug("a step")
        }
        #expect(written == "<5>started: process=4\n<3>it failed\n")
    }

    @Test func `other lines begin with the time and the level`() throws {
        for stream in [nil, "", "0:0", "1:2:3"] {
            unlink(path)
            let written = try text({ _ in stream }) { $0.log(least: .notice).fault("it broke", ["why": "a bug"]) }
            let words = written.split(separator: " ", maxSplits: 2)
            #expect(words.count == 3 && words[0].hasSuffix("Z") && words[1] == "fault", "\(written)")
            #expect(words.last == "it broke: why=\"a bug\"\n")
        }
    }

    @Test func `what is withheld is counted, and told with its level`() throws {
        let written = try text({ "\($0.st_dev):\($0.st_ino)" }) { output in
            let log = output.log(least: .notice)
            for number in 1...30 { log.error("it failed", ["task": number]) }
            output.settle()
        }
        let lines = written.split(separator: "\n")
        #expect(lines.count == 21)
        #expect(lines.last == "<3>… and 10 more like it: it failed: task=21")
    }

    @Test func `at the level debug every step is written`() throws {
        let written = try text({ _ in nil }) { output in
            let log = output.log(least: .debug)
            for number in 1...30 { log.debug("a step", ["task": number]) }
        }
        #expect(written.split(separator: "\n").count == 30)
    }
}
