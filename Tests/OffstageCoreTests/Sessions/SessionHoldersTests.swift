// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct SessionHoldersTests {
    private let session = SessionName(app: "org.example.app", identifier: "uploads")
    private let one = ProcessIdentity(number: 100, startedAt: 5)
    private let two = ProcessIdentity(number: 200, startedAt: 6)

    @Test func `whoever comes first has it`() {
        var holders = SessionHolders()
        #expect(holders.open(session, connection: 1, process: one) == .granted)
        #expect(holders.holder(of: session) == 1)
        #expect(holders.open(session, connection: 1, process: one) == .granted)
    }

    @Test func `another process waits until it is free`() {
        var holders = SessionHolders()
        _ = holders.open(session, connection: 1, process: one)
        #expect(holders.open(session, connection: 2, process: two) == .held(by: 1))
        #expect(holders.holder(of: session) == 1)
        #expect(holders.ended(1) == [session])
        #expect(holders.open(session, connection: 2, process: two) == .granted)
    }

    @Test func `a process that was refused cancels nothing of whoever has it`() {
        var holders = SessionHolders()
        #expect(holders.mayCancelAll(session, process: one, hadIt: false))
        _ = holders.open(session, connection: 1, process: one)
        #expect(holders.mayCancelAll(session, process: one, hadIt: true))
        #expect(!holders.mayCancelAll(session, process: two, hadIt: false))
        // Handed over while the process held the session, imported after it has released it.
        #expect(holders.mayCancelAll(session, process: two, hadIt: true))
        #expect(holders.mayCancelAll(session, process: nil, hadIt: false))
    }

    @Test func `the same process takes it over with a new connection`() {
        var holders = SessionHolders()
        _ = holders.open(session, connection: 1, process: one)
        #expect(holders.open(session, connection: 2, process: one) == .takenOver(from: 1))
        #expect(holders.ended(1).isEmpty)
        #expect(holders.holder(of: session) == 2)
    }

    @Test func `a process that got the number of another is another`() {
        var holders = SessionHolders()
        _ = holders.open(session, connection: 1, process: one)
        let later = ProcessIdentity(number: one.number, startedAt: 99)
        #expect(holders.open(session, connection: 2, process: later) == .held(by: 1))
    }

    @Test func `only who has it can give it up`() {
        var holders = SessionHolders()
        _ = holders.open(session, connection: 1, process: one)
        let isOthers = holders.close(session, connection: 2)
        #expect(!isOthers)
        let isOwn = holders.close(session, connection: 1)
        #expect(isOwn)
        #expect(holders.holder(of: session) == nil)
    }

    @Test func `sessions of other names and other apps are apart`() {
        var holders = SessionHolders()
        let others = [
            SessionName(app: session.app, identifier: "downloads"),
            SessionName(app: "org.example.other", identifier: session.identifier),
        ]
        _ = holders.open(session, connection: 1, process: one)
        for other in others { #expect(holders.open(other, connection: 2, process: two) == .granted) }
        #expect(Set(holders.ended(2)) == Set(others))
        #expect(holders.holder(of: session) == 1)
    }

    @Test func `an identifier must be there and not too long`() {
        #expect(session.problem == nil)
        for text in ["", String(repeating: "x", count: 1025), "a\0b"] {
            #expect(SessionName(app: "a", identifier: text).problem != nil)
        }
    }

    @Test func `a connection holds so many, and another once it has let one go`() {
        var holders = SessionHolders()
        let sessions = (0...SessionHolders.most).map { SessionName(app: "org.example.app", identifier: "s\($0)") }
        for session in sessions.dropLast() {
            #expect(holders.open(session, connection: 1, process: one) == .granted)
        }
        let last = sessions[SessionHolders.most]
        #expect(holders.open(last, connection: 1, process: one) == .tooMany)
        #expect(holders.holder(of: last) == nil)
        // A session that it already holds is not an additional one, and other processes have their own limit.
        #expect(holders.open(sessions[0], connection: 1, process: one) == .granted)
        #expect(holders.open(last, connection: 2, process: two) == .granted)
        #expect(holders.ended(2) == [last])
        #expect(holders.open(sessions[1], connection: 3, process: one) == .takenOver(from: 1))
        #expect(holders.open(last, connection: 1, process: one) == .granted)
        let hasClosed = holders.close(sessions[2], connection: 1)
        #expect(hasClosed)
        #expect(holders.ended(1).count == SessionHolders.most - 1)
        #expect(holders.ended(3) == [sessions[1]])
        #expect(holders == SessionHolders())
    }
}
