// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// The actions of an attempt from its first event to its last.
struct AttemptTests {
    private static let now = AttemptStage.now
    private static let done = DialectStep.finish(Answer(status: 200))

    /// An attempt that has begun, and its latest actions.
    private static func begun(_ dialect: ScriptedDialect) -> (attempt: Attempt, actions: [String]) {
        var attempt = Attempt()
        _ = attempt.handle(.opened(dialect, offset: 0), now: now)
        let actions = attempt.handle(.begun(number: 4), now: now).map(\.summary)
        return (attempt, actions)
    }

    private static func answered(_ lane: Int, reached: Int64 = 0) -> AttemptEvent {
        .ended(lane: lane, .answered(Answer(status: 200)), reached: reached)
    }

    @Test func `a token, digests and the memory come before the request that needs them`() throws {
        var dialect = ScriptedDialect([
            .authorize(.account("work"), rejecting: nil), .digest(AttemptStage.blocks),
            .send(try AttemptStage.request(0)), Self.done,
        ])
        dialect.memories = [nil, nil, [7], [7]]
        var (attempt, actions) = Self.begun(dialect)
        #expect(actions == ["authorize(work)"])
        #expect(attempt.standing == "waiting for a token of the account 'work'")
        actions = attempt.handle(.authorized(GrantedToken("t")), now: Self.now).map(\.summary)
        #expect(actions == ["hash(1 by 2)"])
        #expect(attempt.standing == "hashing the file before it is sent")
        let digests = [UInt8](repeating: 1, count: 64)
        actions = attempt.handle(.digested(digests, offset: 0, span: 1), now: Self.now).map(\.summary)
        #expect(actions == ["stopHashing(1)", "remember([7])", "commit"])
        #expect(attempt.handle(.committed, now: Self.now).map(\.summary) == ["send(0)@0"])
        actions = attempt.handle(Self.answered(0), now: Self.now).map(\.summary)
        #expect(actions == ["acknowledge(10)", "conclude(200)@10"])
        #expect(attempt.handle(.dismiss, now: Self.now).map(\.summary) == ["close", "forget"])
    }

    @Test func `what is committed already is not committed again`() throws {
        var dialect = ScriptedDialect([
            .send(try AttemptStage.request(0)), .send(try AttemptStage.request(0)), .send(try AttemptStage.request(0)),
        ])
        dialect.memories = [[1], [1], [2]]
        var (attempt, actions) = Self.begun(dialect)
        #expect(actions == ["remember([1])", "commit"])
        #expect(attempt.handle(.committed, now: Self.now).map(\.summary) == ["send(0)@0"])
        actions = attempt.handle(Self.answered(0), now: Self.now).map(\.summary)
        #expect(actions == ["acknowledge(10)", "send(0)@0"])
        actions = attempt.handle(Self.answered(0), now: Self.now).map(\.summary)
        #expect(actions == ["acknowledge(20)", "remember([2])", "commit"])
    }

    @Test func `a dialect is told how much had been sent when an answer came, also after it was broken off`() throws {
        let steps = try (0..<2).map { DialectStep.send(try AttemptStage.request($0)) }
        var (attempt, _) = Self.begun(ScriptedDialect(lanes: 2, steps))
        // A body begins at the lane's hundredth byte.
        _ = attempt.handle(Self.answered(1, reached: 107), now: Self.now)
        _ = attempt.handle(.breakOff, now: Self.now)
        _ = attempt.handle(Self.answered(0, reached: 3), now: Self.now)
        #expect((attempt.dialect as? ScriptedDialect)?.sentBodies == [7, 3])
    }

    @Test func `a token goes nowhere but to the places that it was asked for`() throws {
        var dialect = ScriptedDialect([
            .authorize(.account("work"), rejecting: nil), .send(try AttemptStage.request(0)),
        ])
        dialect.tokenPlaces = ["https://files.example.org.evil.example", "https://files.example.org/a/b"]
        var (attempt, _) = Self.begun(dialect)
        let actions = attempt.handle(.authorized(GrantedToken("t")), now: Self.now).map(\.summary)
        #expect(actions == ["conclude(internalError)@0"])
    }

    @Test func `a dialect that breaks its own promises ends the attempt`() throws {
        let request = DialectStep.send(try AttemptStage.request(0))
        let far = DialectStep.send(try AttemptStage.request(2))
        #expect(Self.begun(ScriptedDialect(lanes: 2, [request, request])).actions == ["send(0)@0", "stop(0)"])
        #expect(Self.begun(ScriptedDialect(lanes: 2, [far])).actions == ["conclude(internalError)@0"])
        #expect(Self.begun(ScriptedDialect([.wait])).actions == ["conclude(internalError)@0"])
    }

    @Test func `what the server acknowledges while the attempt is broken off is stored`() throws {
        var dialect = ScriptedDialect([.send(try AttemptStage.request(0))])
        dialect.remembersAnswers = true
        var (attempt, actions) = Self.begun(dialect)
        #expect(actions == ["send(0)@0"])
        actions = attempt.handle(.breakOff, now: Self.now).map(\.summary)
        #expect(actions == ["stop(0)"])
        actions = attempt.handle(Self.answered(0), now: Self.now).map(\.summary)
        #expect(actions == ["remember([10])", "acknowledge(10)", "store", "close", "forget", "goOn"])
    }

    @Test func `lanes are answered in any order, and a free one is used again`() throws {
        var steps = try (0..<3).map { DialectStep.send(try AttemptStage.request($0)) }
        steps += [.send(try AttemptStage.request(1)), .wait, .wait, Self.done]
        var (attempt, actions) = Self.begun(ScriptedDialect(lanes: 3, steps))
        #expect(actions == ["send(0)@0", "send(1)@100", "send(2)@200"])
        actions = attempt.handle(Self.answered(1), now: Self.now).map(\.summary)
        #expect(actions == ["acknowledge(10)", "send(1)@100"])
        #expect(attempt.handle(Self.answered(2), now: Self.now).map(\.summary) == ["acknowledge(20)"])
        #expect(attempt.lanes == [0, 1])
        #expect(attempt.handle(Self.answered(0), now: Self.now).map(\.summary) == ["acknowledge(30)"])
        actions = attempt.handle(Self.answered(1), now: Self.now).map(\.summary)
        #expect(actions == ["acknowledge(40)", "conclude(200)@40"])
    }

    @Test func `a failure is told when the other lanes are empty, with what they have brought across`() throws {
        let steps = try (0..<3).map { DialectStep.send(try AttemptStage.request($0)) }
        var (attempt, _) = Self.begun(ScriptedDialect(lanes: 3, steps))
        var actions = attempt.handle(.ended(lane: 1, .failed(AttemptStage.failure), reached: 130), now: Self.now)
        #expect(actions == [.stop(lane: 0), .stop(lane: 2)])
        #expect((attempt.dialect as? ScriptedDialect)?.told == ["broke(1 after 30)"])
        actions = attempt.handle(Self.answered(0), now: Self.now)
        #expect(actions == [.acknowledge(10)])
        actions = attempt.handle(.released(lane: 2), now: Self.now)
        #expect(actions == [.conclude(.failed(AttemptStage.failure), reached: 10, madeAt: nil)])
    }

    @Test func `what is across is what is acknowledged and what is on its way in all lanes`() throws {
        let steps = try (0..<2).map { DialectStep.send(try AttemptStage.request($0)) }
        var (attempt, _) = Self.begun(ScriptedDialect(lanes: 2, steps))
        _ = attempt.handle(.moved(lane: 0, reached: 30), now: Self.now)
        _ = attempt.handle(.moved(lane: 1, reached: 112), now: Self.now)
        _ = attempt.handle(.moved(lane: 5, reached: 999), now: Self.now)
        #expect(attempt.position == 42)
        #expect(attempt.kept == 0, "the server has acknowledged nothing")
    }

    @Test func `what has gone over the line is counted once, whether its request is under way or over`() throws {
        let steps = try (0..<2).map { DialectStep.send(try AttemptStage.request($0)) }
        var (attempt, _) = Self.begun(ScriptedDialect(lanes: 2, steps))
        #expect(attempt.movedInAll == 0)
        _ = attempt.handle(.moved(lane: 0, reached: 30), now: Self.now)
        _ = attempt.handle(.moved(lane: 1, reached: 112), now: Self.now)
        #expect(attempt.movedInAll == 42)
        _ = attempt.handle(.ended(lane: 1, .failed(AttemptStage.failure), reached: 120), now: Self.now)
        #expect(attempt.movedInAll == 50)
        _ = attempt.handle(.released(lane: 0), now: Self.now)
        #expect(attempt.movedInAll == 50)
    }

    @Test func `one span is hashed ahead at a time, and one that is on its way is waited for`() throws {
        var dialect = ScriptedDialect([.send(try AttemptStage.request(0)), .digest(AttemptStage.blocks)])
        dialect.digestsAhead = AttemptStage.blocks
        var (attempt, actions) = Self.begun(dialect)
        #expect(actions == ["send(0)@0", "hash(1 by 1)"])
        actions = attempt.handle(Self.answered(0), now: Self.now).map(\.summary)
        #expect(actions == ["acknowledge(10)", "hash(1 by 2)"], "the same span, by more workers")
    }

    @Test func `what cannot be hashed ahead is hashed when it is needed, and only then a failure`() throws {
        var dialect = ScriptedDialect([.send(try AttemptStage.request(0)), .digest(AttemptStage.blocks)])
        dialect.digestsAhead = AttemptStage.blocks
        var (attempt, actions) = Self.begun(dialect)
        let failure = TransferFailure(.sourceUnreadable, "no")
        actions = attempt.handle(.notDigested(failure, span: 1), now: Self.now).map(\.summary)
        #expect(actions == ["stopHashing(1)"])
        actions = attempt.handle(Self.answered(0), now: Self.now).map(\.summary)
        #expect(actions == ["acknowledge(10)", "hash(2 by 2)"])
        actions = attempt.handle(.notDigested(failure, span: 2), now: Self.now).map(\.summary)
        #expect(actions == ["stopHashing(2)", "conclude(sourceUnreadable)@10"])
    }

    @Test func `one digest of a part is waited for, and the next one computed ahead`() throws {
        let (now, next) = (SourceDigest(.sha1, of: 0..<100), SourceDigest(.sha1, of: 100..<200))
        var dialect = ScriptedDialect([
            .hash(now), .send(try AttemptStage.request(0)), .hash(next), .send(try AttemptStage.request(0)),
        ])
        dialect.hashAhead = next
        var (attempt, actions) = Self.begun(dialect)
        #expect(actions == ["hash(1 by 2)"])
        // The digest of another part is kept, and does not start the request.
        #expect(attempt.handle(.hashed([2], SourceDigest(.sha1, of: 5..<9), span: 7), now: Self.now).isEmpty)
        actions = attempt.handle(.hashed([1], now, span: 1), now: Self.now).map(\.summary)
        #expect(actions == ["stopHashing(1)", "send(0)@0", "hash(2 by 1)"])
        actions = attempt.handle(Self.answered(0), now: Self.now).map(\.summary)
        #expect(actions == ["acknowledge(10)", "hash(2 by 2)"], "the same span")
        actions = attempt.handle(.hashed([1], next, span: 2), now: Self.now).map(\.summary)
        #expect(actions == ["stopHashing(2)", "send(0)@0"])
    }

    /// Whatever the order of events, the file is closed once, requests are begun and released in pairs, and each
    /// attempt that was begun ends in one way.
    @Test(arguments: 0..<20) func `no order of events breaks it`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            var walk = AttemptWalk(
                lanes: Int.random(in: 1...4, using: &generator),
                hasKeeper: Bool.random(using: &generator)
            )
            for _ in 0..<40 where !walk.isOver { try walk.goOn(&generator) }
            try walk.comeToAnEnd()
        }
    }
}
