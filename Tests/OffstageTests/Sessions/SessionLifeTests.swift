// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageTestSupport
import Testing

@Suite struct SessionLifeTests {
    @Test func `a session, its tasks and its delegate are let go after invalidation`() throws {
        let fixture = try SessionFixture()
        fixture.server.script("/up", .status(200, body: "x"))
        weak var session: URLSession?
        weak var task: URLSessionTask?
        weak var delegate: RecordingDelegate?
        let lines = try {
            let recorder = RecordingDelegate()
            let made = try fixture.session(delegate: recorder)
            let upload = made.uploadTask(with: try fixture.request("/up"), fromFile: try fixture.file("a", bytes: 9))
            (session, task, delegate) = (made, upload, recorder)
            upload.resume()
            made.finishTasksAndInvalidate()
            try recorder.line("invalid nil")
            return recorder.lines
        }()
        #expect(lines.suffix(2) == ["completed 1 nil 200", "invalid nil"])
        #expect(try eventually("the delegate to go") { delegate == nil ? true : nil })
        #expect(try eventually("the task to go") { task == nil ? true : nil })
        #expect(try eventually("the session to go") { session == nil ? true : nil })
    }

    @Test func `the same identifier gives the same session, and a new one after invalidation`() throws {
        let fixture = try SessionFixture()
        let first = RecordingDelegate()
        let session = try fixture.session(delegate: first)
        let again = try fixture.session(delegate: RecordingDelegate())
        #expect(session === again)
        #expect(again.delegate === first)
        session.invalidateAndCancel()
        try first.line("invalid nil")
        let second = RecordingDelegate()
        let new = try fixture.session(delegate: second)
        #expect(new !== session)
        new.invalidateAndCancel()
        try second.line("invalid nil")
    }

    @Test func `a session that nobody listens to ends too, and leaves what ended to the next one`() throws {
        let fixture = try SessionFixture()
        fixture.server.script("/up", .status(200))
        let session = try fixture.session(delegate: nil)
        let task = session.uploadTask(with: try fixture.request("/up"), fromFile: try fixture.file("a", bytes: 9))
        task.resume()
        _ = try eventually("the end") { (try? fixture.daemon.show(1))?.state.string == "finished" ? true : nil }
        session.finishTasksAndInvalidate()
        let delegate = RecordingDelegate()
        let next = try eventually("another session") {
            let made = try fixture.session(delegate: delegate)
            return made === session ? nil : made
        }
        try delegate.line("completed 1 nil 200")
        next.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `a session takes a copy of its configuration, with everything in it`() throws {
        let configuration = URLSessionConfiguration.background(withIdentifier: "a")
        #expect(configuration.identifier == "a")
        #expect(configuration.sessionSendsLaunchEvents)
        #expect(configuration.allowsExpensiveNetworkAccess)
        #expect(configuration.timeoutIntervalForResource == 604_800)
        #expect(configuration.httpMaximumConnectionsPerHost == 6)
        configuration.sharedContainerIdentifier = "group"
        configuration.waitsForConnectivity = true
        configuration.timeoutIntervalForRequest = 7
        let copy = try #require(configuration.copy() as? URLSessionConfiguration)
        configuration.timeoutIntervalForRequest = 8
        #expect(copy.identifier == "a")
        #expect(copy.sharedContainerIdentifier == "group")
        #expect(copy.waitsForConnectivity)
        #expect(copy.timeoutIntervalForRequest == 7)
    }

    @Test func `a session of the foreground is FoundationNetworking's`() {
        let session = URLSession(configuration: .ephemeral)
        #expect(type(of: session) == FoundationNetworking.URLSession.self)
    }

    @Test func `a background session that is spelled out as an initializer fails its tasks`() async throws {
        let session = URLSession.init(configuration: .background(withIdentifier: "spelled"))
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        await #expect(throws: URLError.self) { _ = try await session.data(from: url) }
    }

    @Test func `completion handlers and async forms have the outcome in place of the delegate`() async throws {
        let fixture = try SessionFixture()
        fixture.server.script("/up", .status(201, body: "stored"))
        let file = FaultFile(random: 5000, seed: 8)
        fixture.server.script("/down", .file(file))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let (reply, response) = try await session.upload(for: fixture.request("/up"), from: Data("body".utf8))
        #expect(String(decoding: reply, as: UTF8.self) == "stored")
        #expect((response as? HTTPURLResponse)?.statusCode == 201)
        #expect(fixture.server.requests("/up")[0].body == Array("body".utf8))
        let (location, _) = try await session.download(from: fixture.url("/down"))
        #expect(try TestFiles.read(location.path) == file.bytes)
        try FileManager.default.removeItem(at: location)
        let missing = URL(fileURLWithPath: fixture.daemon.path("missing"))
        await #expect(throws: URLError.self) {
            _ = try await session.upload(for: fixture.request("/up"), fromFile: missing)
        }
        session.finishTasksAndInvalidate()
        try delegate.line("invalid nil")
        #expect(delegate.lines.allSatisfy { !$0.hasPrefix("completed") && !$0.hasPrefix("file") })
        _ = try eventually("the spooled body to go") {
            TestFiles.names(in: fixture.daemon.home + "/snapshots").isEmpty ? true : nil
        }
    }

    @Test func `data tasks run in the process and reach the same delegate`() async throws {
        let fixture = try SessionFixture()
        fixture.server.script("/data", .status(200, body: "some data"))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let task = session.dataTask(with: try fixture.url("/data"))
        #expect(task.taskIdentifier == 1)
        task.resume()
        try delegate.line("body 1 9 some data")
        try delegate.line("completed 1 nil 200")
        let (data, _) = try await session.data(from: fixture.url("/data"))
        #expect(String(decoding: data, as: UTF8.self) == "some data")
        session.finishTasksAndInvalidate()
        try delegate.line("invalid nil")
    }

    @Test func `a data task that was cancelled is not listed`() throws {
        let fixture = try SessionFixture()
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let task = session.dataTask(with: try fixture.url("/"))
        // The answer is queued before the task's end.
        session.delegateQueue.isSuspended = true
        session.getAllTasks { delegate.note("listed \($0.count)") }
        _ = try eventually("the answer to stand in line") { session.delegateQueue.operationCount > 0 ? true : nil }
        task.cancel()
        task.resume()
        session.delegateQueue.isSuspended = false
        #expect(try delegate.line("listed") == "listed 0")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
        #expect(fixture.server.requests.isEmpty)
    }

    @Test func `events can be iterated over in place of a delegate`() async throws {
        let fixture = try SessionFixture()
        let file = FaultFile(random: 5000, seed: 8)
        fixture.server.script("/down", .file(file))
        let session = try fixture.session(delegate: nil)
        let events = try #require(session.backgroundEvents)
        session.downloadTask(with: try fixture.url("/down")).resume()
        var path = ""
        for await event in events {
            guard case .completed(let completion) = event else { continue }
            path = try #require(completion.file).path
            #expect(try TestFiles.read(path) == file.bytes)
            session.finishTasksAndInvalidate()
        }
        #expect(!TestFiles.exists(path))
    }

    @Test func `the daemon's death is not the app's, and no end is told twice`() throws {
        let fixture = try SessionFixture()
        let gate = FaultGate()
        fixture.server.script("/up", .held(gate, then: .status(200)))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate, restarts: true)
        let file = try fixture.file("a", bytes: 100)
        for _ in 0..<20 { session.uploadTask(with: try fixture.request("/up"), fromFile: file).resume() }
        try fixture.daemon.killDaemon()
        for _ in 0..<20 { session.uploadTask(with: try fixture.request("/up"), fromFile: file).resume() }
        gate.open()
        for number in 1...40 { try delegate.line("completed \(number) nil 200") }
        session.finishTasksAndInvalidate()
        try delegate.line("invalid nil")
        #expect(delegate.lines.count { $0.hasPrefix("completed") } == 40)
        #expect(!delegate.lines.contains("finished events"))
    }

    @Test func `a session that is made anew at once does not hear the last ends again`() throws {
        let fixture = try SessionFixture()
        fixture.server.script("/up", .status(200))
        let file = try fixture.file("a", bytes: 100)
        for _ in 0..<5 {
            let first = RecordingDelegate()
            let session = try fixture.session(delegate: first)
            for _ in 0..<20 { session.uploadTask(with: try fixture.request("/up"), fromFile: file).resume() }
            session.finishTasksAndInvalidate()
            try first.line("invalid nil")
            let second = RecordingDelegate()
            let new = try fixture.session(delegate: second)
            new.finishTasksAndInvalidate()
            try second.line("invalid nil")
            #expect(second.lines == ["invalid nil"])
        }
    }
}
