// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import Testing

/// What the command says to the daemon when it hands over many transfers.
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
}
