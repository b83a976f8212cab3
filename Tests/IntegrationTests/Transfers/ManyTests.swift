// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
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
        // The following requests are answered from the store.
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

    @Test func `what runs comes first in what is looked on at, however much waits behind it`() throws {
        let server = try FaultServer()
        server.script("/held", .held(FaultGate(), then: .status(200)))
        try daemon.startOnDemand()
        let client = try WireClient.greeted(daemon)
        let specs = try (1...1100).map {
            let target = TransferSpec.DownloadTarget(path: daemon.path("\($0)"))
            let url = try RequestURL(server.url("/held"))
            return TransferSpec(direction: .download(target), url: url, owner: AppIdentity.command)
        }
        _ = try client.send(SubmitTransfers(specs: specs))
        try server.waitForActive(6)
        let rows = try client.send(WatchTransfers(ids: nil)).rows
        #expect(rows.count == WatchTransfers.rowLimit)
        #expect(Set(rows.prefix(6).map(\.id.rawValue)) == [1, 2, 3, 4, 5, 6])
        #expect(rows.map(\.kind) == rows.indices.map { $0 < 6 ? .running : .queued })
        // The oldest waiting transfer does not fit into the first answer.
        #expect(!rows.contains { $0.id.rawValue == 7 })
        let events = try daemon.start(["events"])
        _ = try events.line { $0.hasPrefix("1: started") ? true : nil }
        _ = try events.line { $0.hasPrefix("7: ") ? true : nil }
    }

    @Test func `what is done to all is done in parts, none of which is left out`() throws {
        try daemon.startOnDemand()
        let client = try WireClient.greeted(daemon)
        let count = 5100
        let specs = try (1...count).map {
            let target = TransferSpec.DownloadTarget(path: daemon.path("\($0)"))
            let url = try RequestURL("http://127.0.0.1:9/\($0)")
            var spec = TransferSpec(direction: .download(target), url: url, owner: AppIdentity.command)
            spec.earliestBegin = Date(timeIntervalSinceNow: 86_400)
            return spec
        }
        for start in stride(from: 0, to: count, by: 850) {
            _ = try client.send(SubmitTransfers(specs: Array(specs[start..<start + 850])))
        }
        let first = try client.send(ActOnTransfers(verb: .pause, selection: .all, isInParts: true), within: 60)
        #expect(first.done.count == 5000 && first.refused.isEmpty)
        #expect(first.next?.rawValue == 101)
        let rest = ActOnTransfers(verb: .pause, selection: .all, before: first.next, isInParts: true)
        let second = try client.send(rest)
        #expect(second.done.count == 100 && second.next == nil)
        let cancelled = try daemon.run("cancel", "--all", "--yes")
        #expect(cancelled.isSuccess && cancelled.output == "Cancelled 1–\(count).\n", "\(cancelled)")
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
        #expect(try daemon.run("list").output.contains("There are no transfers yet"))
    }
}
