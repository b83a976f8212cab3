// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Requests on one connection that are sent before earlier ones are answered.
@Suite struct SubmitOrderTests {
    private let daemon: DaemonFixture

    init() throws {
        daemon = try DaemonFixture()
        try daemon.startOnDemand()
    }

    private func request(_ count: Int, _ name: String) throws -> SubmitTransfers {
        let url = try RequestURL("http://127.0.0.1:9/a")
        return SubmitTransfers(
            specs: (0..<count).map { number in
                let target = TransferSpec.DownloadTarget(path: daemon.path("\(name)\(number)"))
                var spec = TransferSpec(direction: .download(target), url: url, owner: "o")
                spec.earliestBegin = .distantFuture
                return spec
            }
        )
    }

    /// Sends both at once and waits for both answers, which may come in either order.
    private func answers(to first: SubmitTransfers, _ second: SubmitTransfers) throws -> (WireFrame, WireFrame) {
        let client = try WireClient.greeted(daemon)
        let frames = [try client.frame(first), try client.frame(second)]
        try client.write(frames.flatMap { $0.encoded() })
        var answers: [UInt32: WireFrame] = [:]
        let limit = TimeLimit(seconds: 20)
        while answers.count < 2 {
            let answer = try #require(try client.nextFrame(limit))
            answers[answer.exchange] = answer
        }
        return (try #require(answers[frames[0].exchange]), try #require(answers[frames[1].exchange]))
    }

    @Test func `what is handed over second is taken in second, however quickly it is read`() throws {
        let answers = try answers(to: request(1000, "long"), request(1, "short"))
        let first = try WireCoding.decode(SubmitTransfers.Reply.self, from: answers.0.payload).ids
        let second = try WireCoding.decode(SubmitTransfers.Reply.self, from: answers.1.payload).ids
        #expect(first.count == 1000)
        #expect(first == first.sorted())
        #expect(try #require(second.first) > (try #require(first.last)))
    }

    @Test func `one that is refused does not keep the next from being taken in`() throws {
        var refused = try request(300, "refused")
        refused.specs[299].priority = 7
        let answers = try answers(to: refused, request(2, "taken"))
        #expect(answers.0.kind == .failure)
        #expect(try WireCoding.decode(SubmitTransfers.Reply.self, from: answers.1.payload).ids.count == 2)
        #expect(try WireClient.greeted(daemon).send(ListTransfers(query: .init())).rows.count == 2)
    }
}
