// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageTestSupport
import Testing

@Suite struct `The life of a background session` {
    private let server: FaultServer

    init() throws {
        server = try FaultServer()
        server.script("/", .status(200, body: "hello"))
    }

    @Test func `the same identifier gives the same session`() throws {
        let configuration = SessionHome.configuration()
        let first = RecordingDelegate()
        let session = URLSession(configuration: configuration, delegate: first, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        let again = URLSession(configuration: configuration, delegate: RecordingDelegate(), delegateQueue: nil)
        #expect(again === session)
        #expect(again.delegate === first, "with the delegate it had")
    }

    @Test func `a session that finishes its tasks tells its delegate last`() throws {
        let gate = FaultGate()
        server.script("/held", .held(gate, then: .status(200)))
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        let task = session.downloadTask(with: try SessionHome.url(server.url("/held")))
        task.resume()
        try server.waitForRequests("/held", count: 1)
        session.finishTasksAndInvalidate()
        #expect(!delegate.calls.contains { $0.name == "invalid" })
        gate.open()
        #expect(try delegate.waitForEnd(of: task) == nil)
        try delegate.wait(for: "the end of the session") { $0.calls.last?.name == "invalid" }
        #expect(delegate.calls.last?.text.isEmpty == true, "without an error")

        let identifier = try #require(session.configuration.identifier)
        let next = URLSession(
            configuration: .background(withIdentifier: identifier),
            delegate: delegate,
            delegateQueue: nil
        )
        #expect(next !== session, "the identifier is free again")
        next.invalidateAndCancel()
    }

    @Test func `an invalidated session cancels its tasks`() throws {
        server.script("/never", .stalls)
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        let tasks = try (0..<3).map { _ in session.downloadTask(with: try SessionHome.url(server.url("/never"))) }
        tasks[0].resume()
        tasks[1].resume()
        try server.waitForRequests("/never", count: 2)
        session.invalidateAndCancel()
        try delegate.wait(for: "the end of the session") { $0.calls.last?.name == "invalid" }
        for task in tasks {
            #expect(try delegate.waitForEnd(of: task)?.code == NSURLErrorCancelled)
            #expect(delegate.calls("completed", of: task).count == 1)
        }
    }

    @Test func `flush and reset call back`() throws {
        let session = SessionHome.session(RecordingDelegate())
        defer { session.invalidateAndCancel() }
        let called = Monitor(0)
        session.flush { called.withLock { $0 += 1 } }
        session.reset { called.withLock { $0 += 1 } }
        let both = called.awaited { $0 == 2 ? true : nil }
        #expect(both == true)
    }
}
