// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Synchronization
import Testing

/// The requests of a command that hands over many transfers, or changes many.
@Suite struct SubmissionBatchesTests {
    private func spec(_ number: Int, label: String? = nil) throws -> TransferSpec {
        let target = TransferSpec.DownloadTarget(path: "/tmp/Größe \"\(number)\"")
        var spec = TransferSpec(
            direction: .download(target),
            url: try RequestURL("http://h/\(number)"),
            owner: "command"
        )
        spec.label = label
        return spec
    }

    private func requests(_ specs: [TransferSpec]) throws -> [[TransferSpec]] {
        var batches = SubmissionBatches(specs)
        var requests: [[TransferSpec]] = []
        while let next = try batches.takeNext() {
            let payload = try WireCoding.encode(next)
            #expect(payload.count <= SubmissionBatches.largest + 64)
            requests.append(try WireCoding.decode(SubmitTransfers.self, from: payload).specs)
        }
        return requests
    }

    @Test(arguments: [0, 1, 249, 250, 251, 1100])
    func `requests hold every transfer once and in order, a bounded number each`(count: Int) throws {
        let specs = try (0..<count).map { try spec($0) }
        let requests = try requests(specs)
        #expect(requests.flatMap(\.self) == specs)
        #expect(requests.map(\.count).allSatisfy { (1...SubmissionBatches.longest).contains($0) })
        #expect(requests.count == (count + 249) / 250)
    }

    @Test func `long transfers share a request only as long as it fits a frame`() throws {
        let specs = try (0..<7).map { try spec($0, label: String(repeating: "x", count: 700_000)) }
        let requests = try requests(specs)
        #expect(requests.flatMap(\.self) == specs)
        #expect(requests.map(\.count) == [2, 2, 2, 1])
    }

    @Test func `a transfer that fits no frame is refused with a sentence`() throws {
        var batches = SubmissionBatches([try spec(1, label: String(repeating: "x", count: 3 << 20))])
        let failure = #expect(throws: CommandFailure.self) { try batches.takeNext() }
        #expect(failure?.sentences.first?.contains("too long to hand over") == true)
    }

    /// The subject of each request of a command: how many numbers, or the number from which all are taken downwards.
    private func acts(_ words: [String]) throws -> [String] {
        let directory = try TemporaryDirectory()
        let seen = Mutex<[String]>([])
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, payload in
            if name == Hello.name { return try ScriptedPeer.hello() }
            let request = try WireCoding.decode(ActOnTransfers.self, from: payload)
            var reply = ActOnTransfers.Reply(done: [], refused: [])
            switch request.selection {
            case .ids(let ids):
                seen.withLock { $0.append("\(ids.count)") }
                reply.done = ids
            case .all:
                let isInParts = request.isInParts == true ? " in parts" : ""
                seen.withLock { $0.append("all below \(request.before?.description ?? "none")\(isInParts)") }
                reply.next = request.before == nil ? TransferID(rawValue: 5001) : nil
            }
            return [try ScriptedPeer.reply(reply)]
        }
        let run = withExtendedLifetime(peer) { CommandRun(words, home: directory.path("h")) }
        #expect(run.status == .success, "\(run.errors)")
        return seen.withLock { $0 }
    }

    @Test(arguments: ["pause", "resume", "cancel", "retry", "forget"])
    func `what is done to many is asked for some at a time`(verb: String) throws {
        #expect(try acts([verb, "1-2500", "--yes"]) == ["1000", "1000", "500"])
        #expect(try acts([verb, "--all", "--yes"]) == ["all below none in parts", "all below 5001 in parts"])
    }
}
