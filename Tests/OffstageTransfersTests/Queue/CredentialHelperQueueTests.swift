// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// A server that refuses the credential helper's output.
@Suite struct CredentialHelperQueueTests {
    /// How often the helper was run.
    private let asked = Monitor(0)

    /// Creates a stage whose helper prints `answer(1)` the first time, `answer(2)` the second, and so on.
    private func makeStage(_ answer: @escaping @Sendable (Int) -> String?) throws -> QueueStage {
        var settings = Settings()
        settings.credentialHelper = "helper"
        let asked = asked
        return try QueueStage(settings) {
            let count = asked.withLock { count -> Int in
                count += 1
                return count
            }
            return answer(count)
        }
    }

    /// Advances time by so many seconds, in which the server refuses every request.
    private func refuse(for seconds: Int, _ stage: QueueStage) {
        for _ in 0..<seconds {
            for request in stage.network.underWay { stage.network.answer(request, 401) }
            stage.engine.advance(by: 1)
        }
    }

    private func submit(to stage: QueueStage) throws -> TransferID {
        try stage.submit(stage.download("a") { $0.unauthorizedPolicy = .waitForCredentials })[0]
    }

    @Test func `what was refused is not sent again, and the helper is asked ever more rarely`() throws {
        let stage = try makeStage { $0 < 6 ? "Authorization: old\n" : "Authorization: new\n" }
        let id = try submit(to: stage)
        refuse(for: 60, stage)
        // One request without the field, and one with it.
        #expect(stage.network.begun.count == 2)
        // Once for each, and after 5, 10 and 20 seconds.
        #expect(asked.withLock { $0 } == 5)
        #expect(try stage.reason(of: id) == .credentials(host: "example.com"))
        #expect(stage.engine.records.filter { $0.message.contains("nothing but what was refused") }.count == 1)
        // 40 seconds later the helper has another answer.
        stage.engine.advance(by: 20)
        let request = try #require(stage.network.underWay.first)
        #expect(request.spec.headers.contains(HeaderField(name: "Authorization", value: "new")))
        stage.network.deliver([1], to: request)
        stage.engine.settle()
        #expect(try stage.stored(id).outcome?.isSuccess == true)
    }

    @Test func `fields that are refused again and again are tried ever more rarely`() throws {
        let stage = try makeStage { "Authorization: \($0)\n" }
        let id = try submit(to: stage)
        refuse(for: 60, stage)
        #expect(stage.network.begun.count == 5)
        for (pause, expected) in zip(stage.network.pauses, [0.0, 5, 10, 20]) { #expect(abs(pause - expected) < 0.01) }
        guard case .retry(let failure, attempts: 5)? = try stage.reason(of: id) else {
            Issue.record("It waits for \(String(describing: try stage.reason(of: id)))")
            return
        }
        #expect(failure.code == .unauthorized)
    }

    @Test func `a helper that fails is asked again later`() throws {
        let stage = try makeStage { $0 < 3 ? nil : "Authorization: new\n" }
        _ = try submit(to: stage)
        refuse(for: 1, stage)
        stage.engine.advance(by: 10)
        #expect(asked.withLock { $0 } == 2 && stage.network.underWay.isEmpty)
        stage.engine.advance(by: 10)
        #expect(asked.withLock { $0 } == 3 && stage.network.underWay.count == 1)
    }
}
