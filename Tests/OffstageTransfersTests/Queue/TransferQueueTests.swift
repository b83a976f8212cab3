// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// A transfer's way through the engine, second by second, over a scripted network.
@Suite struct TransferQueueTests {
    private let stage: QueueStage

    init() throws { stage = try QueueStage() }

    private var network: ScriptedEngine { stage.network }

    private func only() throws -> EngineRequest {
        #expect(network.underWay.count == 1)
        return try #require(network.underWay.first)
    }

    @Test func `a download begins at once, and is whole at its target when the store says so`() throws {
        let id = try stage.submit(stage.download("a"))[0]
        network.deliver(Array("hello".utf8), to: try only())
        stage.engine.settle()
        #expect(try TestFiles.read(stage.target("a")) == Array("hello".utf8))
        #expect(try stage.stored(id).outcome?.isSuccess == true)
        #expect(TestFiles.names(in: stage.engine.directory.path).filter { $0.hasSuffix(".part") }.isEmpty)
        #expect(stage.engine.elapsed < 0.01)
    }

    @Test func `an attempt that fails is repeated after one second, two, four, and so on`() throws {
        let id = try stage.submit(stage.download("a"))[0]
        for count in 1...5 {
            network.lose(try only())
            stage.engine.settle()
            #expect(network.underWay.isEmpty)
            guard case .retry(_, attempts: count)? = try stage.reason(of: id) else {
                Issue.record("It waits for \(String(describing: try stage.reason(of: id)))")
                return
            }
            stage.engine.advance(by: Double(1 << (count - 1)) - 0.1)
            #expect(network.underWay.isEmpty)
            stage.engine.advance(by: 0.2)
        }
        for (pause, expected) in zip(network.pauses, [1.0, 2, 4, 8, 16]) { #expect(abs(pause - expected) < 0.001) }
    }

    @Test func `the pause grows to five minutes and no further`() throws {
        _ = try stage.submit(stage.download("a"))
        for _ in 0..<14 {
            network.lose(try only())
            stage.engine.advance(by: 301)
        }
        #expect(network.begun.count == 15)
        #expect(abs((network.pauses.max() ?? 0) - 300) < 0.001)
    }

    @Test func `a server that asks for two minutes has them`() throws {
        _ = try stage.submit(stage.download("a"))
        network.answer(try only(), 503, [HeaderField(name: "Retry-After", value: "120")])
        stage.engine.advance(by: 119.9)
        #expect(network.underWay.isEmpty)
        stage.engine.advance(by: 0.2)
        #expect(network.underWay.count == 1)
    }

    @Test func `a refusal is final, and is not repeated`() throws {
        let id = try stage.submit(stage.download("a"))[0]
        network.answer(try only(), 404)
        stage.engine.advance(by: 3600)
        #expect(network.begun.count == 1)
        guard case .failed(let failure, _)? = try stage.stored(id).outcome else {
            Issue.record("It ended as \(String(describing: try stage.stored(id).outcome))")
            return
        }
        #expect(failure.code == .httpStatus && failure.status == 404)
    }

    @Test func `what has not ended in its whole time fails then, and not before`() throws {
        let id = try stage.submit(stage.download("a") { $0.overallTimeout = 600 })[0]
        stage.engine.advance(by: 599)
        #expect(network.underWay.count == 1)
        stage.engine.advance(by: 2)
        #expect(network.stopped.count == 1)
        guard case .failed(let failure, _)? = try stage.stored(id).outcome else {
            Issue.record("It ended as \(String(describing: try stage.stored(id).outcome))")
            return
        }
        #expect(failure.code == .overallTimeout)
    }

    @Test func `the daemon is not woken for the time of one that has ended`() throws {
        let alarm = { self.stage.engine.loop.nextAlarm() }
        _ = try stage.submit(stage.download("a") { $0.overallTimeout = 600 })
        let first = try only()
        _ = try stage.submit(stage.download("b") { $0.overallTimeout = 3600 })
        #expect(alarm().map { $0 <= 600 } == true)
        network.deliver([1], to: first)
        stage.engine.settle()
        stage.engine.settle()
        #expect(alarm().map { $0 > 600 && $0 <= 3600 } == true)
        network.deliver([1], to: try only())
        stage.engine.settle()
        stage.engine.settle()
        #expect(alarm() == nil)
    }

    @Test func `one that is to begin at a time of day begins then`() throws {
        let date = stage.engine.clock.now().wall.addingTimeInterval(7200)
        let id = try stage.submit(stage.download("a") { $0.earliestBegin = date })[0]
        stage.engine.advance(by: 7199)
        #expect(network.begun.isEmpty)
        #expect(try stage.reason(of: id) == .earliestBegin)
        stage.engine.advance(by: 1.1)
        #expect(network.underWay.count == 1)
    }

    @Test func `a download whose connection breaks goes on at its last byte`() throws {
        let id = try stage.submit(stage.download("a"))[0]
        let first = try only()
        let half = [UInt8](repeating: 1, count: 2 << 20)
        network.receive(half, of: first, total: 4 << 20)
        stage.engine.settle()
        network.lose(first, reached: 2 << 20)
        stage.engine.advance(by: 1.1)
        let second = try only()
        #expect(second.offset == 2 << 20)
        #expect(second.partial?.validator == .strongETag("\"1\""))
        network.deliver([UInt8](repeating: 2, count: 2 << 20), to: second, status: 206)
        stage.engine.settle()
        #expect(try stage.stored(id).outcome?.isSuccess == true)
        #expect(try TestFiles.read(stage.target("a")) == half + [UInt8](repeating: 2, count: 2 << 20))
    }

    @Test func `six go to a host at a time, and the next begins when one has ended`() throws {
        let specs = try (1...8).map { try stage.download("file-\($0)") }
        let queue = stage.queue
        let ids = try stage.engine.run { try await queue.submit(specs) }
        stage.engine.settle()
        #expect(network.underWay.map(\.id) == Array(ids.prefix(6)))
        let reason = try stage.reason(of: ids[6])
        #expect(reason == .hostLimit(host: "example.com:443", running: 6, limit: 6))
        network.deliver([1], to: network.underWay[2])
        stage.engine.settle()
        #expect(network.begun.map(\.request.id) == Array(ids.prefix(7)))
    }

    @Test func `a transfer begins when the one that it comes after has ended`() throws {
        let first = try stage.submit(stage.download("a"))[0]
        let second = try stage.submit(stage.download("b") { $0.predecessors = [first] })[0]
        stage.engine.advance(by: 60)
        #expect(network.underWay.map(\.id) == [first])
        network.deliver([1], to: try only())
        stage.engine.settle()
        #expect(network.underWay.map(\.id) == [second])
    }

    @Test func `one whose authorities are on a file system that does not answer says so`() throws {
        let id = try stage.submit(stage.download("a") { $0.certificateAuthorityPath = "/proc/self/status" })[0]
        stage.engine.advance(by: 30)
        #expect(try stage.reason(of: id) == .running)
        network.stalled = [id]
        stage.engine.advance(by: 6)
        #expect(try stage.reason(of: id) == .fileSystem(folder: "/proc/self"))
        network.stalled = []
        stage.engine.advance(by: 6)
        #expect(try stage.reason(of: id) == .running)
        network.deliver([1], to: try only())
        stage.engine.settle()
        #expect(try stage.stored(id).outcome?.isSuccess == true)
    }

    @Test func `those of one hand-over come after so many others, and all of these are on record`() throws {
        let first = try stage.submit(stage.download("a"))[0]
        let others = (1...9_999).map { TransferID(rawValue: $0 + 1_000_000) }
        func refusal(_ predecessors: [[TransferID]]) throws -> String? {
            do {
                let specs = try predecessors.map { ids in try stage.download("b") { $0.predecessors = ids } }
                _ = try stage.engine.run { [queue = stage.queue] in try await queue.submit(specs) }
                return nil
            } catch let error as QueueError { return error.sentence }
        }
        let more = [first, TransferID(rawValue: 7_000_000)]
        #expect(try refusal([more + others])?.contains("can come after 10000") == true)
        #expect(try refusal([[first], Array(others.reversed())])?.contains("no transfer 1000001") == true)
        #expect(try refusal([[first], [first]]) == nil)
    }

    @Test func `one that is paused moves no byte until it is to go on`() throws {
        let id = try stage.submit(stage.download("a"))[0]
        let queue = stage.queue
        try stage.engine.run { try await queue.pause(id) }
        stage.engine.advance(by: 3600)
        #expect(network.stopped.count == 1)
        #expect(network.underWay.isEmpty)
        try stage.engine.run { try await queue.resume(id) }
        stage.engine.settle()
        #expect(network.underWay.count == 1)
    }

    @Test func `one that is cancelled is stopped, and never begins again`() throws {
        let id = try stage.submit(stage.download("a"))[0]
        let queue = stage.queue
        try stage.engine.run { try await queue.cancel(id) }
        stage.engine.advance(by: 3600)
        #expect(network.begun.count == 1)
        #expect(network.stopped.count == 1)
        #expect(try stage.stored(id).outcome == .cancelled)
        #expect(TestFiles.names(in: stage.engine.directory.path).filter { $0.hasSuffix(".part") }.isEmpty)
    }

    @Test func `an upload is sent whole, and again from its beginning when it breaks`() throws {
        let id = try stage.submit(stage.upload("photo", length: 100_000))[0]
        let first = try only()
        #expect(first.spec.method == "PUT")
        #expect(first.body?.count == 100_000)
        network.lose(first, reached: 60_000)
        stage.engine.advance(by: 1.1)
        let second = try only()
        #expect(second.offset == 0)
        #expect(second.body?.count == 100_000)
        network.answer(second, 201)
        stage.engine.settle()
        #expect(try stage.stored(id).outcome?.isSuccess == true)
    }

    @Test func `an upload whose file has changed since is not sent`() throws {
        let spec = try stage.upload("photo", length: 1000)
        try TestFiles.write("something else", to: stage.target("photo"))
        let id = try stage.submit(spec)[0]
        stage.engine.advance(by: 60)
        #expect(network.begun.isEmpty)
        guard case .failed(let failure, _)? = try stage.stored(id).outcome else {
            Issue.record("It ended as \(String(describing: try stage.stored(id).outcome))")
            return
        }
        #expect(failure.code == .sourceChanged)
    }

    @Test func `one that needs a good moment begins when the machine has one`() throws {
        let isOnBattery = Monitor(true)
        stage.perform { queue in
            queue.setMachine(
                hold: { needs, _ in
                    needs.contains(.goodMoment) && isOnBattery.withLock { $0 } ? .externalPower : nil
                },
                wish: { _ in }
            )
        }
        let id = try stage.submit(stage.download("a") { $0.needs = .goodMoment })[0]
        stage.engine.advance(by: 3600)
        #expect(network.begun.isEmpty)
        #expect(try stage.reason(of: id) == .held(.externalPower))
        isOnBattery.withLock { $0 = false }
        stage.perform { $0.networkChanged() }
        #expect(network.underWay.count == 1)
    }

    @Test func `of very many that are handed over at once each is told, to all observers alike`() throws {
        let queue = stage.queue
        let logs = [Monitor<[TransferID: UInt64]>([:]), Monitor<[TransferID: UInt64]>([:])]
        for log in logs {
            let note: @Sendable (TransferNotice, UInt64) -> Void = { notice, number in
                if case .changed(let snapshot) = notice { log.withLock { $0[snapshot.transfer.id] = number } }
            }
            _ = try stage.engine.run { await queue.observe(nil, send: note) }
        }
        let begin = stage.engine.clock.now().wall.addingTimeInterval(3600)
        // They wait, so that nothing else is reported about them.
        let specs = try (0..<300).map { try stage.download("f\($0)") { $0.earliestBegin = begin } }
        let ids = try stage.engine.run { try await queue.submit(specs) }
        stage.engine.advance(by: 1)
        let told = logs.map { log in log.withLock { $0 } }
        #expect(Set(told[0].keys) == Set(ids))
        #expect(told[0] == told[1])
        #expect(Set(told[0].values).count == ids.count)
    }
}
