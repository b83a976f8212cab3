// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

@Suite struct `Many at once` {
    private static let count = 2500
    private let daemon: DaemonFixture

    init() throws { daemon = try DaemonFixture() }

    private func handOver() throws {
        let list = (1...Self.count).map { "http://127.0.0.1:9/\($0)?a=%22,%5B\tGröße \"\($0)\",[{.bin\n" }.joined()
        let result = try daemon.run(
            "download",
            "--detach",
            "--begin",
            "+100d",
            "--label",
            "a \"label\"",
            "--output-dir",
            daemon.path(""),
            "-",
            input: list
        )
        #expect(result.isSuccess, "\(result.errors)")
        #expect(result.output == (1...Self.count).map { "\($0)\n" }.joined())
    }

    @Test func `what is handed over by the thousand is on record as it was said`() throws {
        try handOver()
        // What comes next is read from the store.
        try daemon.killDaemon()
        try daemon.startOnDemand()
        for id in [1, 999, 1000, 1001, Self.count] {
            let shown = try daemon.show(id)
            #expect(shown.label.string == "a \"label\"")
            #expect(shown.path.string == daemon.path("Größe \"\(id)\",[{.bin"))
            #expect(shown.state.string == "waiting")
        }
        let list = try daemon.run("list", "--limit", "1")
        #expect(list.output.contains("\(Self.count) transfers: \(Self.count) waiting"), "\(list.output)")
    }

    @Test func `every verb takes any number of transfers, whatever the length of its answer`() throws {
        try handOver()
        let pasts = [("pause", "Paused"), ("resume", "Resumed"), ("cancel", "Cancelled"), ("forget", "Forgot")]
        for (verb, past) in pasts {
            let result = try daemon.run(verb, "1-20000", "--yes")
            #expect(result.code == 4)
            #expect(result.output.hasPrefix(past) && result.output.contains(" 1–\(Self.count)."), "\(result.output)")
            let refusals = result.errors.split(separator: "\n")
            #expect(refusals.count == 1)
            #expect(result.errors.contains("There is no transfer \(Self.count + 1)–20000: "), "\(result.errors)")
        }
        #expect(try daemon.run("list").output.contains("There is no transfer yet"))
    }
}
