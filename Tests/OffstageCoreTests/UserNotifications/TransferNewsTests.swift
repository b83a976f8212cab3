// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// The events that a person is notified of.
@Suite struct TransferNewsTests {
    private static let failure = TransferFailure(.diskFull, "there is no room")
    private static let unusable = TransferFailure(.accountUnusable, "the account 'work' needs a new sign-in")

    private static func wait(_ cause: TransferState.Wait.Cause) -> TransferState {
        .waiting(.init(cause: cause, since: Fixture.start))
    }

    private static func ended(_ outcome: TransferOutcome) -> TransferState {
        .finished(outcome, at: Fixture.moment(1))
    }

    private func transfer(
        _ state: TransferState,
        notify: Bool? = nil,
        change: (inout TransferSpec) -> Void = { _ in }
    ) throws -> Transfer {
        var spec = try Fixture.upload()
        spec.notify = notify
        change(&spec)
        return Transfer(id: TransferID(rawValue: 7), spec: spec, now: Fixture.moment(0)).shown(in: state)
    }

    private static var leftOut: Answer {
        var answer = Answer(status: 200)
        answer.saysThere = true
        return answer
    }

    private static let deadEnd = TransferState.Predecessor(id: TransferID(rawValue: 3), end: .failed)

    /// A state, whether it means a failure or a need, and the resulting news.
    private static let table: [(TransferState, isProblem: Bool, TransferNews.Event?)] = [
        (ended(.completed(Answer(status: 201))), false, .completed),
        (ended(.completed(leftOut)), false, .leftOut),
        (ended(.failed(failure, nil)), true, .failed(failure)),
        (ended(.cancelled), false, nil),
        (ended(.cancelledByQuit), false, nil),
        (.queued(since: Fixture.start), false, nil),
        (.paused(since: Fixture.start, timeLeft: 1), false, nil),
        (wait(.retry(failure, Deadline(setAt: Fixture.moment(0), delay: 1))), false, nil),
        (wait(.earliestBegin(Fixture.start)), false, nil),
        (wait(.delegate(.willBeginDelayedRequest)), false, nil),
        (wait(.predecessors([.init(id: TransferID(rawValue: 3))])), false, nil),
        (
            wait(.predecessors([.init(id: TransferID(rawValue: 2)), deadEnd])), true,
            .needsPerson(.predecessor(deadEnd, others: 1))
        ),
        (wait(.credentials(host: "h")), true, .needsPerson(.credentials(host: "h"))),
        (wait(.account(unusable)), true, .needsPerson(.account(unusable))),
        (wait(.setAside(crashes: 3)), true, .needsPerson(.setAside(crashes: 3))),
        (wait(.unreadable(crashes: 0)), true, .needsPerson(.unreadable(crashes: 0))),
    ]

    @Test(arguments: table.indices, NotifyChoice.allCases)
    func `the setting decides for transfers that say nothing`(row: Int, setting: NotifyChoice) throws {
        let (state, isProblem, event) = Self.table[row]
        let isTold = setting == .all || setting == .failures && isProblem
        #expect(try TransferNews(transfer(state), before: nil, setting: setting)?.event == (isTold ? event : nil))
    }

    @Test(arguments: table.indices, NotifyChoice.allCases)
    func `a transfer's own word comes first, either way`(row: Int, setting: NotifyChoice) throws {
        let (state, _, event) = Self.table[row]
        #expect(try TransferNews(transfer(state, notify: true), before: nil, setting: setting)?.event == event)
        #expect(try TransferNews(transfer(state, notify: false), before: nil, setting: setting) == nil)
    }

    @Test func `an app tells of its tasks itself`() throws {
        let task = try transfer(Self.ended(.failed(Self.failure, nil)), notify: true) { spec in
            spec.sessionTask = SessionTaskKey(session: "s", task: 1)
        }
        #expect(TransferNews(task, before: nil, setting: .all) == nil)
    }

    @Test func `a wait that only goes on is no news`() throws {
        let state = Self.wait(.credentials(host: "h"))
        #expect(try TransferNews(transfer(state), before: state, setting: .all) == nil)
        let other = Self.wait(.account(Self.unusable))
        #expect(try TransferNews(transfer(state), before: other, setting: .all) != nil)
    }

    @Test func `it names the file, and its place without secrets`() throws {
        let done = Self.ended(.completed(Answer(status: 200)))
        let url = try RequestURL("https://me:word@h/in/a%20b?token=s3cr3t")
        let news = try #require(
            TransferNews(try transfer(done) { $0.url = url }, before: nil, setting: .all)
        )
        #expect(news.name == "source")
        #expect(news.place.hasPrefix("https://h/in/a%20b"))
        #expect(!news.place.contains("s3cr3t") && !news.place.contains("word"))
        let identity = FileIdentity(device: 1, inode: 2, size: 3, modified: 4)
        let copy = "/h/snapshots/1B4E28BA-2FA1-11D2-883F-B9A761BDE3FB-photo.jpg"
        let snapshot = try transfer(done) {
            $0.direction = .upload(.init(path: copy, identity: identity, isSnapshot: true))
        }
        #expect(TransferNews(snapshot, before: nil, setting: .all)?.name == "photo.jpg")
    }
}
