// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// Every event in every state of an attempt, with one lane and with three.
struct AttemptTableTests {
    static let events: [(name: String, event: AttemptEvent)] = [
        ("opened for download", .opened(nil, offset: 5)),
        ("opened for upload", .opened(ScriptedDialect(), offset: 0)),
        ("not opened", .notOpened),
        ("begun", .begun(number: 4)),
        ("committed", .committed),
        ("not kept", .notKept(isRefused: false)),
        ("refused", .notKept(isRefused: true)),
        ("authorized", .authorized(GrantedToken("t"))),
        ("not authorized", .notAuthorized(TransferFailure(.unauthorized, "no"))),
        ("digested", .digested([UInt8](repeating: 1, count: 64), offset: 0, span: 1)),
        ("digested of another span", .digested([UInt8](repeating: 1, count: 64), offset: 0, span: 9)),
        ("hashed", .hashed([1], SourceDigest(.sha1, of: AttemptStage.blocks), span: 1)),
        ("hashed of another span", .hashed([1], SourceDigest(.sha1, of: AttemptStage.blocks), span: 9)),
        ("not digested", .notDigested(TransferFailure(.sourceUnreadable, "no"), span: 1)),
        ("not digested of another span", .notDigested(TransferFailure(.sourceUnreadable, "no"), span: 9)),
        ("moved", .moved(lane: 0, reached: 6)), ("divisible", .divisible(total: 1 << 30)),
        ("holes committed", .holesCommitted),
        ("unsynced", .unsynced(TransferFailure(.diskFull, "no room"))),
        ("heard", .receivedInterim([HeaderField(name: "Location", value: "/u")], lane: 0)),
        ("heard in a lane that is free", .receivedInterim([], lane: 9)),
        ("answered", .ended(lane: 0, .answered(Answer(status: 200)), reached: 9)),
        ("failed", .ended(lane: 0, .failed(AttemptStage.failure), reached: 7)),
        ("must begin again", .ended(lane: 0, .mustBeginAgain(serverIgnoresRanges: false), reached: 0)),
        ("answered in a lane that is free", .ended(lane: 9, .answered(Answer(status: 200)), reached: 9)),
        ("answered in the second lane", .ended(lane: 1, .answered(Answer(status: 200)), reached: 9)),
        ("released from the second lane", .released(lane: 1)),
        ("released", .released(lane: 0)),
        ("released in a lane that is free", .released(lane: 9)),
        ("break off", .breakOff),
        ("save", .save),
        ("dismiss", .dismiss),
        ("saved", .saved),
    ]

    @Test(arguments: [1, 3], AttemptStage.allCases)
    func `every event does what the table says`(lanes: Int, stage: AttemptStage) throws {
        let table = lanes == 1 ? Self.oneLane : Self.threeLanes
        for (name, event) in Self.events {
            var attempt = try stage.attempt(lanes: lanes)
            let before = attempt.summary
            let actions = attempt.handle(event, now: AttemptStage.now).map(\.summary)
            let told = ([attempt.summary + ":"] + actions).joined(separator: " ")
            #expect(told == table[name]?[stage] ?? before + ":", "\(name)")
        }
    }

    @Test func `the tables name no event that is not tried`() {
        let names = Set(Self.events.map(\.name))
        #expect(names.count == Self.events.count)
        #expect(names.isSuperset(of: Self.oneLane.keys) && names.isSuperset(of: Self.threeLanes.keys))
    }
}
