// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// The variables of a completion command (`--on-done`).
@Suite struct CompletionVariablesTests {
    private let server: FaultServer
    private let harness: QueueHarness
    private let told: Monitor<[[String: String]]>

    init() throws {
        server = try FaultServer()
        server.script("/file", .status(200, body: "content"))
        server.script("/gone", .status(404))
        server.script("/slow", .file(FaultFile(random: 1_000_000, seed: 1), rate: 50_000))
        let told = Monitor<[[String: String]]>([])
        self.told = told
        harness = try QueueHarness(surroundings: { environment in
            environment.runCommand = { _, _, variables in told.withLock { $0.append(variables) } }
        })
    }

    /// The variables at the end of a download.
    private func variables(_ path: String, task: Int, cancels: Bool = false) async throws -> [String: String] {
        let id = try await harness.download(server.url(path), task: task) {
            // As with the command: an error is a failure, and not an answer for an app.
            $0.statusPolicy = .retryTransientAndFailOnError
            $0.completionCommand = .init(command: "true", workingDirectory: "/")
        }
        if cancels {
            try harness.waitForProgress(ofTask: task, beyond: 10_000)
            try await harness.queue.cancel(id)
        }
        let found = told.wait(TimeLimit(seconds: 20)) { $0.first { $0["OFFSTAGE_ID"] == "\(id)" } }
        return try #require(found)
    }

    @Test func `a command hears what became of which transfer`() async throws {
        let done = try await variables("/file?sig=secret", task: 1)
        #expect(done["OFFSTAGE_RESULT"] == "completed" && done["OFFSTAGE_STATUS"] == "200")
        #expect(done["OFFSTAGE_PATH"] == harness.directory.path("task-1"))
        #expect(done["OFFSTAGE_URL"] == server.url("/file"), "without the query, which may hold a secret")
        #expect(done["OFFSTAGE_ERROR"] == nil)
        let failed = try await variables("/gone", task: 2)
        #expect(failed["OFFSTAGE_RESULT"] == "failed" && failed["OFFSTAGE_STATUS"] == "404")
        #expect(failed["OFFSTAGE_ERROR"]?.contains("404") == true)
        let cancelled = try await variables("/slow", task: 3, cancels: true)
        #expect(cancelled["OFFSTAGE_RESULT"] == "cancelled" && cancelled["OFFSTAGE_STATUS"] == "")
    }

    /// The option's help refers authors of commands to docs/settings.md.
    @Test func `every variable is in the documentation, and no other`() async throws {
        let file = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let rows = try TestFiles.text("/\(file)/docs/settings.md").split(separator: "\n")
        let documented = rows.filter { $0.contains("| `--on-done` |") }.flatMap { row in
            row.split(separator: "|").first.map { $0.split { !$0.isUppercase && $0 != "_" }.map(String.init) } ?? []
        }
        var found: Set<String> = []
        for (task, path) in [(1, "/file"), (2, "/gone")] { found.formUnion(try await variables(path, task: task).keys) }
        #expect(Set(documented) == found)
    }
}
