// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageSupervisor
import OffstageTestSupport
import Testing

@Suite struct `The links of apps on stage` {
    private let links = StageLinks()
    private let app = SupervisedApp.sample()
    private let sent = Monitor<[String]>([])

    init() {
        let sent = sent
        links.start(
            StageLinks.Server(
                send: { command, connection in sent.withLock { $0.append("\(connection) \(command)") } },
                hangUp: { connection in sent.withLock { $0.append("\(connection) hung up") } },
                readRest: { _ in }
            )
        )
    }

    private var log: [String] { sent.withLock { $0 } }

    @Test func `a connection is attached once`() {
        #expect(links.beginAttaching(1))
        #expect(!links.beginAttaching(1))
        #expect(links.isAttaching(1))
        links.refuse(1)
        #expect(!links.isAttaching(1))
        #expect(links.beginAttaching(1))
        links.give(1, to: app)
        _ = links.answered(1)
        #expect(!links.beginAttaching(1))
    }

    @Test func `commands and reports wait for the answer, in order`() {
        _ = links.beginAttaching(1)
        links.send(.memoryWarning, to: 1)
        links.send(.terminate, to: 1)
        links.send(.expire, to: 2)
        #expect(links.keep(.state(.active), bytes: 20, of: 1) == .waits)
        #expect(links.keep(.expired, bytes: 20, of: 1) == .waits)
        #expect(log == ["2 expire"])
        #expect(links.answered(1) == [.state(.active), .expired])
        #expect(log == ["2 expire", "1 memoryWarning", "1 terminate"])
        links.send(.expire, to: 1)
        #expect(links.keep(.expired, bytes: 20, of: 1) == .counts)
        #expect(log.last == "1 expire")
        #expect(links.answered(1) == [])
    }

    @Test func `reports wait within limits, of their number and of their bytes`() {
        let budget = StageBudget()
        _ = links.beginAttaching(1)
        _ = links.beginAttaching(2)
        for _ in 0..<budget.waitingReports { #expect(links.keep(.expired, bytes: 1, of: 1) == .waits) }
        #expect(links.keep(.expired, bytes: 1, of: 1) == .tooMany)
        #expect(links.keep(.expired, bytes: budget.waitingBytes, of: 2) == .waits)
        #expect(links.keep(.expired, bytes: 1, of: 2) == .tooMany)
    }

    @Test func `what was to be told to a process that is refused is forgotten`() {
        _ = links.beginAttaching(1)
        links.send(.terminate, to: 1)
        _ = links.keep(.expired, bytes: 20, of: 1)
        links.refuse(1)
        #expect(links.answered(1) == [])
        #expect(log == [])
    }

    @Test func `an end says whose connection it was`() {
        _ = links.beginAttaching(1)
        guard case .attaching = links.ended(1) else { return #expect(Bool(false), "It was being attached.") }
        #expect(!links.isAttaching(1))
        guard case .other = links.ended(1) else { return #expect(Bool(false), "It was nobody's any more.") }
        // By now the app's process has another connection, or none.
        links.give(2, to: app)
        guard case .other = links.ended(2) else { return #expect(Bool(false), "Its app has no process.") }
        #expect(links.app(of: 2) == nil)
    }
}
