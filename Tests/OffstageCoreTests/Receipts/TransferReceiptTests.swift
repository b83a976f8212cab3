// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct TransferReceiptTests {
    private static let policy = RetryPolicy(baseDelay: 1, maximumDelay: 10)

    private func upload(_ change: (inout TransferSpec) -> Void = { _ in }) throws -> Transfer {
        var spec = try Fixture.upload()
        change(&spec)
        return Transfer(id: TransferID(rawValue: 7), spec: spec, now: Fixture.moment(0))
    }

    /// One attempt, from leaving the line to its end.
    private func attempt(_ transfer: inout Transfer, _ result: AttemptResult, reached: Int64, moved: Int64?) {
        _ = transfer.started(now: Fixture.moment(1), offset: 0)
        _ = transfer.attemptEnded(
            attempt: transfer.attempts,
            result,
            reached: reached,
            moved: moved,
            now: Fixture.moment(2),
            policy: Self.policy,
            jitter: 0
        )
    }

    private func receipt(_ transfer: Transfer) -> TransferReceipt? {
        TransferReceipt(of: transfer, proofs: [], version: nil)
    }

    @Test func `only what has completed has one`() throws {
        var transfer = try upload()
        #expect(receipt(transfer) == nil)
        attempt(&transfer, .failed(TransferFailure(.internalError, "x")), reached: 0, moved: 0)
        #expect(transfer.isFinished && receipt(transfer) == nil)
        var answer = Answer(status: 200)
        answer.saysThere = true
        var there = try upload()
        attempt(&there, .answered(answer), reached: 300, moved: 0)
        #expect(there.outcome?.isSuccess == true && receipt(there) == nil)
    }

    @Test func `it says what moved, and what moved again`() throws {
        var once = try upload()
        attempt(&once, .answered(Answer(status: 201)), reached: 300, moved: 300)
        let simple = try #require(self.receipt(once))
        #expect(once.history.isEmpty)
        #expect((simple.bytes, simple.moved, simple.repeated, simple.attempts) == (300, 300, 0, 1))
        #expect(simple.status == 201 && simple.finishedAt == Fixture.moment(2).wall)

        var twice = try upload()
        attempt(&twice, .failed(TransferFailure(.connectionLost, "x")), reached: 200, moved: 200)
        _ = twice.resume(now: Fixture.moment(3))
        attempt(&twice, .answered(Answer(status: 200)), reached: 300, moved: 300)
        let broken = try #require(self.receipt(twice))
        #expect((broken.moved, broken.repeated, broken.attempts) == (500, 200, 2))

        // A part that was refused and sent again within one attempt.
        var again = try upload()
        attempt(&again, .answered(Answer(status: 200)), reached: 300, moved: 420)
        #expect(receipt(again)?.repeated == 120)
    }

    @Test func `what was there before the first attempt has not moved`() throws {
        var transfer = try upload()
        _ = transfer.started(now: Fixture.moment(1), offset: 200)
        _ = transfer.attemptEnded(
            attempt: 1,
            .answered(Answer(status: 200)),
            reached: 300,
            moved: 100,
            now: Fixture.moment(2),
            policy: Self.policy,
            jitter: 0
        )
        #expect(receipt(transfer)?.moved == 100 && receipt(transfer)?.repeated == 0)
    }

    @Test func `an answer's texts are shown if they are short, visible and no secret`() throws {
        func tag(_ value: String, _ change: (inout TransferSpec) -> Void = { _ in }) throws -> String? {
            var transfer = try upload(change)
            let headers = [HeaderField(name: "etag", value: value), HeaderField(name: "X-Request-Id", value: "r-1")]
            attempt(&transfer, .answered(Answer(status: 200, headers: headers)), reached: 300, moved: 300)
            let made = try #require(self.receipt(transfer))
            #expect(made.requestID == "r-1")
            return made.entityTag
        }
        #expect(try tag("\"one\"") == "\"one\"")
        #expect(try tag(String(repeating: "x", count: 257)) == nil)
        #expect(try tag("\u{202e}") == nil)
        #expect(try tag("") == nil)
        let secret = "tK9-unguessable-7351"
        let echoed = try tag(secret) { $0.headers = [HeaderField(name: "Authorization", value: "Bearer \(secret)")] }
        #expect(echoed == nil)
        // Already redacted.
        #expect(try tag("\"(hidden)\"") == nil)
    }

    @Test func `the address has its port`() throws {
        for (address, port, shown) in [("127.0.0.1", 80, "127.0.0.1:80"), ("::1", 443, "[::1]:443")] {
            var answer = Answer(status: 200)
            (answer.remoteAddress, answer.remotePort) = (address, port)
            var transfer = try upload()
            attempt(&transfer, .answered(answer), reached: 300, moved: 300)
            #expect(receipt(transfer)?.address == shown)
        }
    }

    @Test func `the digest of a saved download is kept if it was wanted`() throws {
        let digest = try Checksum(parsing: "sha256:" + String(repeating: "0a", count: 32))
        for wanted in [RecordedDigest.wanted, nil] {
            var spec = try Fixture.download()
            spec.digest = wanted
            var transfer = Transfer(id: TransferID(rawValue: 7), spec: spec, now: Fixture.moment(0))
            attempt(&transfer, .answered(Answer(status: 200)), reached: 100, moved: 100)
            _ = transfer.saved(nil, bytes: 100, digest: digest, now: Fixture.moment(3))
            #expect(transfer.spec.digest == wanted.map { _ in .known(digest) })
            #expect(receipt(transfer)?.moved == 100)
        }
    }
}
