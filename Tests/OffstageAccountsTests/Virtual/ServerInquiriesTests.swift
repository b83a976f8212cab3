// SPDX-License-Identifier: Apache-2.0
import EngineTestSupport
import OffstageAccounts
import OffstageCore
import OffstageProtocol
import OffstageRuntime
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Questions to servers about stored files: how many at a time, and which are impossible.
@Suite struct ServerInquiriesTests {
    /// Belongs to the loop, as inquiries do.
    private final class Asker: @unchecked Sendable {
        let inquiries: ServerInquiries
        /// The questions in progress, each of which runs until it is released.
        var underWay = 0
        var most = 0

        init(_ stage: AccountStage, _ queue: TransferQueue) {
            inquiries = ServerInquiries(
                queue,
                stage.center,
                token: { source, _, _, _ in .failure(.init(.accountUnusable, "there is none")) },
                turns: AccountTurns(SocketBudget(), perProcess: ProcessBudget()),
                // Ten connections for each process.
                peer: { Int32($0 / 10) }
            )
        }

        /// A question that takes a minute.
        func ask(_ connection: UInt64, _ loop: EventLoop) async throws {
            try await inquiries.inTurn(connection) { _ in
                underWay += 1
                most = max(most, underWay)
                await loop.sleep(seconds: 60)  // in virtual time
                underWay -= 1
            }
        }
    }

    private let stage: AccountStage
    private let queue: TransferQueue
    private let asker: Asker

    init() throws {
        stage = try AccountStage()
        queue = try Self.queue(stage.engine)
        asker = Asker(stage, queue)
    }

    private static func queue(_ engine: EngineStage) throws -> TransferQueue {
        let clock = engine.clock
        let queue = TransferQueue(
            loop: engine.loop,
            store: engine.store,
            trouble: engine.trouble,
            environment: TransferQueue.Environment(
                now: { clock.now() },
                networkProblem: { _ in nil },
                jitter: { 1 },
                runCommand: { _, _, _ in },
                log: engine.log,
                readCommand: { _, _ in nil }
            ),
            settings: Settings(),
            places: TransferPlaces(
                storeToken: engine.opened.storeToken,
                snapshots: engine.paths.snapshots,
                resumable: engine.paths.resumable,
                responses: { _ in engine.paths.downloads }
            ),
            nextID: engine.opened.nextID,
            restored: RestoredTransfers(settings: Settings(), now: clock.now())
        )
        return queue
    }

    private func ask(_ connections: some Sequence<UInt64>) -> [Begun<Void>] {
        let (asker, loop) = (asker, stage.engine.loop)
        return connections.map { connection in
            stage.engine.beginLater { try await asker.ask(connection, loop) }
        }
    }

    @Test func `a process asks two questions at a time, and eight more wait`() throws {
        let begun = ask(10..<20)
        stage.engine.settle()
        #expect(asker.underWay == 2)
        stage.engine.advance(by: 61)
        #expect(asker.underWay == 2)
        stage.engine.advance(by: 240)
        #expect(begun.count { !$0.hasEnded } == 0)
        for one in begun { try one.value() }
        #expect(asker.most == 2)
    }

    @Test func `the eleventh is refused, and may come again later`() throws {
        let begun = ask((0..<11).map { _ in 10 })
        stage.engine.settle()
        let refusal = #expect(throws: WireFailure.self) { try begun[10].value() }
        #expect(refusal?.code == .tooManyConnections)
        stage.engine.advance(by: 400)
        let later = ask([10])
        stage.engine.advance(by: 61)
        #expect(try later[0].value() != nil)
    }

    @Test func `eight are asked at a time, whoever asks, and no process waits for one alone`() throws {
        let begun = ask((1...8).flatMap { process in (0..<4).map { _ in UInt64(process * 10) } })
        stage.engine.settle()
        #expect(asker.underWay == 8)
        stage.engine.advance(by: 300)
        #expect(begun.count { !$0.hasEnded } == 0)
        #expect(asker.most == 8)
    }

    @Test func `a transfer that has not ended cannot be checked at its server`() throws {
        let (asker, stage) = (asker, stage)
        let refusal = #expect(throws: WireFailure.self) {
            _ = try stage.engine.run {
                let spec = TransferSpec(
                    direction: .download(.init(path: "/tmp/a")),
                    url: try RequestURL("https://example.com/a"),
                    owner: "command"
                )
                let transfer = Transfer(id: TransferID(rawValue: 1), spec: spec, now: stage.engine.clock.now())
                return try await asker.inquiries.object(of: transfer, 10) == nil
            }
        }
        #expect(refusal?.code == .notApplicable)
        // A question that was not sent holds no turn.
        let begun = ask((0..<10).map { _ in 10 })
        stage.engine.advance(by: 400)
        #expect(begun.count { !$0.hasEnded } == 0)
    }
}
