// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageTestSupport
import Testing

/// How `offstage page` starts its program; `scripts/page-check` looks at the page itself.
@Suite struct PageCommandTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A program in place of `offstage-page`.
    private func program(_ script: String) throws -> [String: String] {
        let path = directory.path("program")
        try TestFiles.write("#!/bin/sh\n\(script)\n", to: path)
        #expect(chmod(path, 0o755) == 0)
        return ["OFFSTAGE_PAGE": path]
    }

    @Test func `the link is printed, and the program is told the port`() throws {
        let environment = try program(#"echo "http://127.81.7.202:4711/open/$*""#)
        #expect(CommandRun(["page"], environment: environment).output == "http://127.81.7.202:4711/open/\n")
        let run = CommandRun(["page", "--no-open", "--port", "4711", "--no-start", "--json"], environment: environment)
        #expect(run.output == #"{"link":"http://127.81.7.202:4711/open/--port 4711 --no-start"}"# + "\n")
        #expect(run.status == .success)
        let metrics = CommandRun(["page", "--no-open", "--metrics-token", "/run/token"], environment: environment)
        #expect(metrics.output == "http://127.81.7.202:4711/open/--metrics-token /run/token\n")
    }

    @Test func `what the program complains of is said in its place`() throws {
        let run = CommandRun(["page"], environment: try program("echo 'offstage-page: No room.' >&2; exit 1"))
        #expect(run.status == .failure)
        #expect(run.errors == "offstage: No room.\n")
        #expect(run.output.isEmpty)
        let silent = CommandRun(["page"], environment: try program("exit 0"))
        #expect(silent.errors.contains("ended without a link"))
        for place in ["https://evil.example/", "http://127.evil.example/", "http://1270.0.0.1:1/"] {
            let other = CommandRun(["page"], environment: try program("echo \(place); exit 0"))
            #expect(other.status == .failure)
            #expect(other.output.isEmpty)
        }
    }

    @Test func `a program that is not there is named`() {
        let run = CommandRun(["page"], environment: ["OFFSTAGE_PAGE": "/nonexistent/page"])
        #expect(run.errors == "offstage: OFFSTAGE_PAGE is /nonexistent/page, which cannot be run: unset it.\n")
    }

    @Test(arguments: [["page", "--port", "70000"], ["page", "--port", "x"], ["page", "7"]])
    func `an order that makes no sense starts nothing`(words: [String]) {
        #expect(CommandRun(words, environment: ["OFFSTAGE_PAGE": "/nonexistent/page"]).status == .usage)
    }
}
