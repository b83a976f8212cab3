// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// A machine that loses its network for a while.
@Suite struct NetworkLossQueueTests {
    private let stage: QueueStage
    private let id: TransferID

    init() throws {
        stage = try QueueStage()
        id = try stage.submit(stage.download("a"))[0]
    }

    private func setNetwork(_ isThere: Bool) {
        stage.hasNetwork.withLock { $0 = isThere }
        stage.perform { $0.networkChanged() }
    }

    @Test func `an outage of less than three seconds breaks nothing`() throws {
        setNetwork(false)
        stage.engine.advance(by: 2.9)
        setNetwork(true)
        stage.engine.advance(by: 10)
        #expect(stage.network.stopped.isEmpty)
        #expect(stage.network.begun.count == 1)
    }

    @Test func `a longer one breaks off what cannot go on, with the reason`() throws {
        setNetwork(false)
        stage.engine.advance(by: 3.1)
        #expect(stage.network.stopped.count == 1)
        stage.engine.advance(by: 3600)
        #expect(stage.network.begun.count == 1)
        #expect(try stage.reason(of: id) == .network(.noLink))
    }

    @Test func `what was broken off goes on as soon as there is a network`() throws {
        setNetwork(false)
        stage.engine.advance(by: 3600)
        setNetwork(true)
        #expect(stage.network.underWay.count == 1)
    }

    @Test func `what waited for its next attempt does not wait for the rest of its pause`() throws {
        for _ in 0..<8 {
            stage.network.lose(try #require(stage.network.underWay.first))
            stage.engine.advance(by: 130)
        }
        stage.network.lose(try #require(stage.network.underWay.first))
        stage.engine.settle()
        setNetwork(false)
        stage.engine.advance(by: 5)
        #expect(stage.network.underWay.isEmpty)
        setNetwork(true)
        #expect(stage.network.underWay.count == 1)
    }

    @Test func `what is handed over without a network begins when there is one`() throws {
        setNetwork(false)
        stage.engine.advance(by: 10)
        let second = try stage.submit(stage.download("b"))[0]
        #expect(try stage.reason(of: second) == .network(.noLink))
        setNetwork(true)
        #expect(stage.network.underWay.map(\.id) == [id, second])
    }
}
