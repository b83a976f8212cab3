// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite final class SessionWakesTests {
    private var wakes = SessionWakes()
    private let session = SessionName(app: "org.example.photos", identifier: "upload")
    private let other = SessionName(app: "org.example.photos", identifier: "download")

    private func begin(_ waiting: SessionName...) -> [SessionWakes.Notice] { wakes.begin(waiting: waiting) }

    private func taken(_ count: Int, in session: SessionName? = nil) {
        wakes.added(count, in: session ?? self.session)
    }

    private func ended(
        _ id: Int64,
        sends: Bool = true,
        isSent: Bool = false,
        in session: SessionName? = nil
    ) -> SessionWakes.Notice? {
        wakes.ended(TransferID(rawValue: id), in: session ?? self.session, sendsLaunchEvents: sends, isSent: isSent)
    }

    /// The app has fetched all ends so far.
    private func sent() { wakes.sent(session, number: wakes.ends(of: session)) }

    private func asked(_ id: Int64, sends: Bool = true) -> SessionWakes.Notice? {
        wakes.asked(TransferID(rawValue: id), in: session, sendsLaunchEvents: sends)
    }

    private func decided(_ id: Int64) -> SessionWakes.Notice? {
        wakes.decided(TransferID(rawValue: id), in: session)
    }

    private func handled() -> (isLasting: Bool, next: SessionWakes.Notice?) { wakes.handled(session) }

    private func lookUp() -> Int? { wakes.lookUp(session) }

    private func lookedUp(hasEnds: Bool, _ number: Int) -> SessionWakes.Notice? {
        wakes.lookedUp(session, hasEnds: hasEnds, number: number)
    }

    @Test func `forty photos call the app once, with the last of them`() {
        #expect(begin().isEmpty)
        taken(30)
        taken(10)
        #expect(wakes.outstanding(of: session.app) == 40)
        for id in 1...39 { #expect(ended(Int64(id)) == nil) }
        #expect(wakes.outstanding(of: session.app) == 1)
        #expect(ended(40) == .needsApp(session))
        #expect(wakes.outstanding(of: session.app) == 0)
    }

    @Test func `sessions are called for one by one, and apps counted apart`() {
        _ = begin()
        taken(1)
        taken(2, in: other)
        taken(7, in: SessionName(app: "another", identifier: "upload"))
        #expect(wakes.outstanding(of: session.app) == 3)
        #expect(ended(1) == .needsApp(session))
        #expect(ended(2, in: other) == nil)
        #expect(ended(3, in: other) == .needsApp(other))
        #expect(wakes.outstanding(of: "another") == 7)
        #expect(wakes.outstanding(of: "nobody") == 0)
    }

    @Test func `a task that wants a decision calls the app while others are outstanding, and once for several`() {
        _ = begin()
        taken(3)
        #expect(asked(1) == .needsApp(session))
        #expect(asked(2) == nil)
        #expect(asked(1) == nil)
        #expect(decided(1) == nil)
        #expect(decided(2) == .settled(session))
        // The same question again is a new one.
        #expect(asked(1) == .needsApp(session))
    }

    @Test func `an app that has heard of all ends need not be called any more`() throws {
        _ = begin()
        taken(2)
        _ = ended(1)
        #expect(lookUp() == nil)
        #expect(ended(2) == .needsApp(session))
        let number = try #require(lookUp())
        #expect(lookedUp(hasEnds: true, number) == nil)
        #expect(lookedUp(hasEnds: false, number) == .settled(session))
        #expect(lookUp() == nil)
        #expect(lookedUp(hasEnds: false, number) == nil)
    }

    @Test func `what was looked up before another end does not count`() throws {
        _ = begin()
        taken(1)
        #expect(ended(1) == .needsApp(session))
        let number = try #require(lookUp())
        taken(1)
        #expect(ended(2) == nil)
        #expect(lookedUp(hasEnds: false, number) == nil)
        let later = try #require(lookUp())
        #expect(lookedUp(hasEnds: false, later) == .settled(session))
    }

    @Test func `what the app has handled it is not called for again, in this daemon nor the next`() {
        _ = begin()
        taken(1)
        #expect(ended(1) == .needsApp(session))
        sent()
        #expect(handled().isLasting)
        #expect(lookUp() == nil)
        taken(1)
        #expect(ended(2) == .needsApp(session))
    }

    @Test func `what was handled before it was sent is nothing to remember`() throws {
        _ = begin()
        taken(1)
        #expect(ended(1) == .needsApp(session))
        #expect(!handled().isLasting)
        // The same holds for ends that it may have been sent, if it released the session before it acknowledged them.
        taken(2)
        #expect(ended(2) == nil)
        let number = wakes.ends(of: session)
        #expect(ended(3) == .needsApp(session))
        wakes.sent(session, number: number)
        #expect(!handled().isLasting)
        taken(1)
        #expect(ended(4) == .needsApp(session))
        sent()
        wakes.lost(session)
        #expect(!handled().isLasting)
    }

    @Test func `handled is what the app was told of, and not what it was called for since`() throws {
        _ = begin()
        taken(1)
        #expect(ended(1) == .needsApp(session))
        wakes.notified(session)
        #expect(lookedUp(hasEnds: false, try #require(lookUp())) == .settled(session))
        taken(1)
        #expect(ended(2, isSent: true) == .needsApp(session))
        #expect(!handled().isLasting)
        // That call remains valid: it is settled once the app has been notified.
        wakes.notified(session)
        taken(1)
        #expect(ended(3, isSent: true) == nil)
        #expect(lookedUp(hasEnds: false, try #require(lookUp())) == .settled(session))
        let nothing = handled()
        #expect(!nothing.isLasting && nothing.next == nil)
        taken(1)
        #expect(ended(4, isSent: true) == .needsApp(session))
        wakes.notified(session)
        #expect(handled().isLasting)
    }

    @Test func `an end that it is just being told is nothing to call it for again, unless it is lost`() throws {
        _ = begin()
        taken(1)
        #expect(ended(1, isSent: true) == .needsApp(session))
        wakes.notified(session)
        taken(1)
        #expect(ended(2, isSent: true) == nil)
        #expect(!handled().isLasting)
        let number = try #require(lookUp())
        #expect(lookedUp(hasEnds: true, number) == nil)
        wakes.lost(session)
        #expect(lookedUp(hasEnds: true, number) == .needsApp(session))
        #expect(lookedUp(hasEnds: false, number) == .settled(session))
    }

    @Test func `what the app has fetched before anybody is called calls it only when it is lost`() throws {
        sent()
        #expect(begin(session).isEmpty)
        let number = try #require(lookUp())
        #expect(lookedUp(hasEnds: true, number) == nil)
        wakes.lost(session)
        #expect(lookedUp(hasEnds: true, number) == .needsApp(session))
    }

    @Test func `what the app has fetched and lost before anybody is called calls it`() {
        sent()
        wakes.lost(session)
        #expect(begin(session) == [.needsApp(session)])
    }

    @Test func `what ends while the app handles the rest calls it again, unless it has heard of that too`() throws {
        _ = begin()
        taken(1)
        #expect(ended(1) == .needsApp(session))
        taken(1)
        #expect(ended(2) == nil)
        let former = handled()
        #expect(!former.isLasting && former.next == nil)
        let number = try #require(lookUp())
        #expect(lookedUp(hasEnds: true, number) == .needsApp(session))
        sent()
        #expect(handled().isLasting)
        taken(1)
        #expect(ended(3) == .needsApp(session))
        taken(1)
        _ = ended(4)
        #expect(!handled().isLasting)
        #expect(lookedUp(hasEnds: false, try #require(lookUp())) == .settled(session))
        #expect(lookUp() == nil)
    }

    @Test func `handled with tasks under way is nothing to remember, as the last of them is news`() {
        _ = begin()
        taken(2)
        #expect(asked(1) == .needsApp(session))
        #expect(!handled().isLasting)
        #expect(asked(2) == .needsApp(session))
        #expect(handled().next == nil)
        #expect(asked(1) == nil)
        _ = ended(1)
        #expect(ended(2) == .needsApp(session))
    }

    @Test func `a question that came while the app handled another calls it again`() {
        _ = begin()
        taken(2)
        #expect(asked(1) == .needsApp(session))
        #expect(asked(2) == nil)
        #expect(handled().next == .needsApp(session))
    }

    @Test func `a question that its task's end has answered calls nobody`() throws {
        _ = begin()
        taken(2)
        #expect(asked(1) == .needsApp(session))
        #expect(ended(1) == nil)
        #expect(decided(1) == nil)
        #expect(lookedUp(hasEnds: false, try #require(lookUp())) == .settled(session))
    }

    @Test func `tasks that send no launch events count, and call nobody`() {
        _ = begin()
        taken(2)
        #expect(asked(1, sends: false) == nil)
        #expect(ended(1, sends: false) == nil)
        #expect(ended(2, sends: false) == nil)
        #expect(!handled().isLasting)
        taken(2)
        // A task that sends launch events counts once the last task has ended, whichever that is.
        #expect(ended(3) == nil)
        #expect(ended(4, sends: false) == .needsApp(session))
    }

    @Test func `nobody is called before what was handed over to the daemon before is in`() {
        taken(1)
        taken(1, in: other)
        #expect(asked(1) == nil)
        #expect(ended(2, in: other) == nil)
        let third = SessionName(app: "another", identifier: "x")
        #expect(begin(third) == [.needsApp(third), .needsApp(other), .needsApp(session)])
        #expect(begin().isEmpty)
    }

    @Test func `a session that the daemon before left is not called for while it has tasks`() {
        taken(1)
        #expect(begin(session).isEmpty)
        #expect(ended(1) == .needsApp(session))
    }

    // MARK: What is withheld

    private let process = ProcessIdentity(number: 7, startedAt: 1)
    private let second = ProcessIdentity(number: 8, startedAt: 2)

    @Test func `what is withheld from an app are all its sessions, until each may go on`() {
        var withheld = WithheldSessions()
        #expect(!withheld.contains(session, holder: nil))
        withheld.withhold(session.app, from: process)
        #expect(withheld.contains(session, holder: process) && withheld.contains(other, holder: nil))
        #expect(!withheld.contains(SessionName(app: "another", identifier: "upload"), holder: nil))
        withheld.deliver(session.app, session: session.identifier)
        #expect(!withheld.contains(session, holder: process) && withheld.contains(other, holder: process))
        withheld.withhold(session.app, from: process)
        #expect(withheld.contains(session, holder: process))
        withheld.deliver(session.app, session: nil)
        #expect(!withheld.contains(session, holder: nil) && !withheld.contains(other, holder: process))
        withheld.deliver("another", session: "upload")
        #expect(withheld == WithheldSessions())
    }

    @Test func `nothing is withheld from another process of the same program`() {
        var withheld = WithheldSessions()
        withheld.withhold(session.app, from: process, others: [second])
        #expect(withheld.contains(session, holder: process) && !withheld.contains(session, holder: second))
        #expect(!withheld.contains(session, holder: ProcessIdentity(number: 9, startedAt: 3)))
        // The process is not known before the launch.
        withheld.withhold(session.app, from: nil, others: [second])
        #expect(withheld.contains(session, holder: process) && !withheld.contains(session, holder: second))
    }
}
