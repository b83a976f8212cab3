// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageTestSupport
import Testing

/// Sessions of an app whose life the daemon manages.
@Suite struct LaunchEventsTests {
    private let fixture: SessionFixture
    /// Unique to this test: the expectations of the whole process are keyed by it.
    private let identifier = "launch.\(UUID().uuidString)"

    init() throws { fixture = try SessionFixture() }

    /// Lets tasks end that have no delegate.
    private func leaveEnds(_ count: Int) throws {
        fixture.server.script("/up", .status(200))
        let session = try fixture.session(identifier, delegate: nil)
        let file = try fixture.file("a", bytes: 9)
        for _ in 0..<count { session.uploadTask(with: try fixture.request("/up"), fromFile: file).resume() }
        _ = try eventually("the ends") {
            (try? fixture.daemon.json("list"))?.counts.finished.integer == count ? true : nil
        }
        session.finishTasksAndInvalidate()
    }

    /// A new session with a delegate, even if an earlier one is just ending.
    private func session(_ delegate: RecordingDelegate, isSupervised: Bool = true) throws -> URLSession {
        try eventually("a new session") {
            let made = try fixture.session(identifier, delegate: delegate, isSupervised: isSupervised)
            return made.delegate === delegate ? made : nil
        }
    }

    @Test func `an app that was launched by a person is told the ends, and not that those were all`() throws {
        try leaveEnds(3)
        let delegate = RecordingDelegate()
        let session = try session(delegate)
        for number in 1...3 { try delegate.line("completed \(number) nil 200") }
        session.finishTasksAndInvalidate()
        try delegate.line("invalid nil")
        #expect(!delegate.lines.contains("finished events"))
    }

    @Test func `a plain program is told that those were all`() throws {
        try leaveEnds(3)
        let delegate = RecordingDelegate()
        let session = try session(delegate, isSupervised: false)
        try delegate.line("finished events")
        #expect(delegate.lines.count { $0.hasPrefix("completed") } == 3)
        session.finishTasksAndInvalidate()
        try delegate.line("invalid nil")
    }

    @Test func `an app that makes the session when it is called hears the ends, then that those were all`() throws {
        try leaveEnds(120)
        LaunchEvents.expect(identifier)
        let delegate = RecordingDelegate()
        let session = try session(delegate)
        try delegate.line("finished events")
        #expect(delegate.lines.count { $0.hasPrefix("completed") } == 120)
        #expect(delegate.lines.last == "finished events")
        session.finishTasksAndInvalidate()
        try delegate.line("invalid nil")
        #expect(delegate.lines.count { $0 == "finished events" } == 1)
    }

    @Test func `an app that is called hears that those were all, also when nothing is left`() throws {
        LaunchEvents.expect(identifier)
        let delegate = RecordingDelegate()
        let session = try session(delegate)
        try delegate.line("finished events")
        session.finishTasksAndInvalidate()
        try delegate.line("invalid nil")
        #expect(delegate.lines == ["finished events", "invalid nil"])
    }

    @Test func `a session that ends at once tells first that those were all`() throws {
        try leaveEnds(2)
        LaunchEvents.expect(identifier)
        let delegate = RecordingDelegate()
        try session(delegate).finishTasksAndInvalidate()
        try delegate.line("invalid nil")
        #expect(delegate.lines.count { $0.hasPrefix("completed") } == 2)
        #expect(delegate.lines.suffix(2) == ["finished events", "invalid nil"])
    }

    @Test func `a task says whether its session sends launch events`() throws {
        let gate = FaultGate()
        fixture.server.script("/up", .held(gate, then: .status(200)))
        let file = try fixture.file("a", bytes: 9)
        for sends in [true, false] {
            let delegate = RecordingDelegate()
            let session = try fixture.session("\(identifier).\(sends)", delegate: delegate) {
                $0.sessionSendsLaunchEvents = sends
            }
            session.uploadTask(with: try fixture.request("/up"), fromFile: file).resume()
            let flushed = Monitor(false)
            session.flush { flushed.withLock { $0 = true } }
            _ = flushed.wait(TimeLimit(seconds: 20)) { $0 ? true : nil }
            let store = try ["", "-wal"].map { try TestFiles.read(fixture.daemon.home + "/store.sqlite" + $0) }
            let text = String(decoding: store.joined(), as: UTF8.self)
            #expect(text.contains(#""sendsLaunchEvents":false"#) == !sends)
        }
        gate.open()
    }
}
