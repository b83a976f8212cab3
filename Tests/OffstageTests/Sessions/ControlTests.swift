// SPDX-License-Identifier: Apache-2.0
import Glibc
import Offstage
import OffstageTestSupport
import Testing

@Suite struct ControlTests {
    @Test func `a task that was cancelled ends with -999`() throws {
        let fixture = try SessionFixture()
        fixture.server.script("/slow", .stalls)
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let running = session.downloadTask(with: try fixture.url("/slow"))
        running.resume()
        _ = try fixture.server.waitForRequests("/slow", count: 1)
        running.cancel()
        #expect(running.state == .canceling)
        let fresh = session.downloadTask(with: try fixture.url("/slow"))
        fresh.cancel()
        try delegate.line("completed 1 -999 none")
        try delegate.line("completed 2 -999 none")
        #expect(running.state == .completed)
        for task in [running, fresh] { #expect(task.error?.localizedDescription == "cancelled") }
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `a task whose end waits for the delegate's queue is among the tasks until it is told`() throws {
        let fixture = try SessionFixture()
        let gate = FaultGate()
        fixture.server.script("/held", .held(gate, then: .status(200, body: "x")))
        fixture.server.script("/next", .status(200, body: "x"))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        session.downloadTask(with: try fixture.url("/held")).resume()
        _ = try fixture.server.waitForRequests("/held", count: 1)
        // From here on the answer occupies its place in the queue.
        session.getAllTasks { delegate.note("has \($0.count)") }
        try delegate.line("has 1")
        session.delegateQueue.isSuspended = true
        session.getAllTasks { delegate.note("listed \($0.count)") }
        gate.open()
        _ = try eventually("the end") { try fixture.daemon.show(1).state.string == "finished" ? true : nil }
        // Calls about another session come after it.
        let other = RecordingDelegate()
        let another = try fixture.session("org.example.another", delegate: other)
        another.downloadTask(with: try fixture.url("/next")).resume()
        try other.line("completed 1 nil 200")
        session.delegateQueue.isSuspended = false
        try delegate.line("completed 1 nil 200")
        #expect(delegate.lines.first { $0.hasPrefix("listed") || $0.hasPrefix("completed") } == "listed 1")
        for session in [session, another] { session.invalidateAndCancel() }
    }

    @Test func `suspensions nest, and a suspended task is not sent`() throws {
        let fixture = try SessionFixture()
        fixture.server.script("/slow", .stalls, .status(200, body: "x"))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let task = session.downloadTask(with: try fixture.url("/slow"))
        task.resume()
        _ = try fixture.server.waitForRequests("/slow", count: 1)
        task.suspend()
        task.suspend()
        #expect(task.state == .suspended)
        let row = { try fixture.daemon.show(1).state.string }
        #expect(try eventually("the pause") { try row() == "paused" ? true : nil })
        task.resume()
        #expect(task.state == .suspended)
        task.resume()
        #expect(task.state == .running)
        try delegate.line("completed 1 nil 200")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `a download goes on from its resume data in another task`() throws {
        let fixture = try SessionFixture()
        let file = FaultFile(random: 4_000_000, seed: 4)
        fixture.server.script("/big", .stallsInBody(file, after: 2_000_000), .file(file))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let first = session.downloadTask(with: try fixture.url("/big"))
        first.resume()
        try delegate.line("wrote 1 ")
        let data = Monitor<Data??>(nil)
        first.cancel(byProducingResumeData: { resumeData in data.withLock { $0 = .some(resumeData) } })
        let found = data.wait(TimeLimit(seconds: 20)) { $0 }
        let resumeData = try #require(found.flatMap { $0 })
        try delegate.line("completed 1 -999 ")
        #expect((first.error as? URLError)?.downloadTaskResumeData == resumeData)
        let second = session.downloadTask(withResumeData: resumeData)
        second.taskDescription = fixture.daemon.path("whole")
        second.resume()
        try delegate.line("completed 2 nil ")
        try delegate.line("resumed 2 true 4000000", within: 5)
        #expect(try TestFiles.read(fixture.daemon.path("whole")) == file.bytes)
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `data that is no resume data fails the task that is made from it`() throws {
        let fixture = try SessionFixture()
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        session.downloadTask(withResumeData: Data("nonsense".utf8)).resume()
        try delegate.line("completed 1 -1002 none")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `a request without a URL is one with a URL that is not supported`() throws {
        let fixture = try SessionFixture()
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        var request = try fixture.request("/")
        request.url = nil
        let download = session.downloadTask(with: request)
        let upload = session.uploadTask(with: request, fromFile: try fixture.file("a", bytes: 3))
        for task in [download, upload] {
            task.resume()
            try delegate.line("completed \(task.taskIdentifier) -1002 none")
            #expect(task.error?.localizedDescription == "unsupported URL")
        }
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `a session that was cancelled has no tasks, and one that finishes them has`() async throws {
        let fixture = try SessionFixture()
        fixture.server.script("/slow", .stalls)
        // Foundation ends a request after a minute, and this test may have to wait that long for its turn.
        var data = try fixture.request("/slow")
        data.timeoutInterval = 3600
        for cancels in [false, true] {
            let delegate = RecordingDelegate()
            let session = try fixture.session("org.example.\(cancels)", delegate: delegate)
            session.downloadTask(with: try fixture.url("/slow")).resume()
            _ = session.downloadTask(with: try fixture.url("/slow"))
            session.dataTask(with: data).resume()
            // The delegate's queue is suspended until the question has been asked.
            session.delegateQueue.isSuspended = true
            if cancels { session.invalidateAndCancel() } else { session.finishTasksAndInvalidate() }
            async let tasks = session.allTasks
            async let kinds = session.tasks
            session.delegateQueue.isSuspended = false
            #expect(await tasks.count == (cancels ? 0 : 3))
            let (data, uploads, downloads) = await kinds
            #expect(data.count + uploads.count + downloads.count == (cancels ? 0 : 3))
            if cancels { try delegate.line("invalid nil") }
        }
    }

    @Test func `the tasks that have not ended can be listed`() async throws {
        let fixture = try SessionFixture()
        fixture.server.script("/slow", .stalls)
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let download = session.downloadTask(with: try fixture.url("/slow"))
        let upload = session.uploadTask(
            with: try fixture.request("/slow"),
            fromFile: try fixture.file("a", bytes: 3)
        )
        download.resume()
        let all = await session.allTasks
        #expect(all.map(\.taskIdentifier) == [1, 2])
        #expect(all.first === download)
        let (data, uploads, downloads) = await session.tasks
        #expect(data.isEmpty)
        #expect(uploads == [upload])
        #expect(downloads == [download])
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
        try delegate.line("completed 1 -999 none")
        try delegate.line("completed 2 -999 none")
    }

    @Test func `submit returns once the task is in the daemon's store`() async throws {
        let fixture = try SessionFixture()
        fixture.server.script("/slow", .stalls)
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let task = session.downloadTask(with: try fixture.url("/slow"))
        try await task.submit()
        #expect(try fixture.daemon.json("list").transfers.array.count == 1)
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `submit of a file that is not there throws`() async throws {
        let fixture = try SessionFixture()
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let missing = URL(fileURLWithPath: fixture.daemon.path("missing"))
        let task = session.uploadTask(with: try fixture.request("/up"), fromFile: missing)
        await #expect(throws: URLError.self) { try await task.submit() }
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `progress follows the counters and cancels its task`() throws {
        let fixture = try SessionFixture()
        let file = FaultFile(random: 100_000, seed: 4)
        fixture.server.script("/down", .stallsInBody(file, after: 50_000))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let task = session.downloadTask(with: try fixture.url("/down"))
        let progress = task.progress
        task.resume()
        try delegate.line("wrote 1 ")
        #expect(progress.totalUnitCount == 100_000)
        #expect(progress.completedUnitCount == task.countOfBytesReceived)
        progress.cancel()
        try delegate.line("completed 1 -999 ")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `a delayed request is asked about, and may be changed`() throws {
        let fixture = try SessionFixture()
        fixture.server.script("/new", .status(200, body: "new"))
        let changed = try fixture.request("/new", method: "GET")
        let delegate = RecordingDelegate(delayed: { _ in (.useNewRequest, changed) })
        let session = try fixture.session(delegate: delegate)
        let task = session.downloadTask(with: try fixture.url("/old"))
        task.earliestBeginDate = Date(timeIntervalSinceNow: 0.3)
        task.resume()
        try delegate.line("begins 1")
        try delegate.line("completed 1 nil 200")
        #expect(task.currentRequest?.url == changed.url)
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `what is asked of a task while no daemon can be had is done once there is one`() throws {
        let fixture = try SessionFixture()
        let gate = FaultGate()
        fixture.server.script("/slow", .held(gate, then: .status(200, body: "x")))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let task = session.downloadTask(with: try fixture.url("/slow"))
        task.resume()
        try fixture.server.waitForRequests("/slow", count: 1)
        try fixture.killDaemonAndSealJournals()
        task.suspend()
        task.taskDescription = "kept"
        let next = try fixture.daemon.startDaemon()
        defer { next.kill(SIGKILL) }
        _ = try eventually("the pause") { try fixture.daemon.show(1).state.string == "paused" ? true : nil }
        _ = try eventually("the label") { try fixture.daemon.show(1).label.string == "kept" ? true : nil }
        gate.open()
        task.resume()
        try delegate.line("completed 1 nil 200")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `a task that could not be handed over leaves no body behind`() throws {
        let fixture = try SessionFixture()
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let task = session.uploadTask(with: try fixture.request("/up"), from: Data("body".utf8))
        try fixture.killDaemonAndSealJournals()
        task.resume()
        try delegate.line("completed 1 -997 none")
        #expect(TestFiles.names(in: fixture.daemon.home + "/snapshots").isEmpty)
    }

    @Test func `a header that cannot be sent fails its task, through submit and the delegate`() async throws {
        let fixture = try SessionFixture()
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        var request = try fixture.request("/up")
        request.setValue("x", forHTTPHeaderField: "no token")
        let task = session.uploadTask(with: request, from: Data("body".utf8))
        await #expect(throws: URLError.self) { try await task.submit() }
        try delegate.line("completed 1 -1 none")
        #expect(TestFiles.names(in: fixture.daemon.home + "/snapshots").isEmpty)
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `limits and dates that nothing can keep and a method in small letters are put right`() async throws {
        let fixture = try SessionFixture()
        fixture.server.script("/up", .status(200))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate) { configuration in
            configuration.timeoutIntervalForRequest = 0
            configuration.timeoutIntervalForResource = 0
        }
        var request = try fixture.request("/up", method: "purge")
        request.timeoutInterval = 0
        let file = try fixture.file("a", bytes: 3)
        try await session.uploadTask(with: request, fromFile: file).submit()
        try delegate.line("completed 1 nil 200")
        #expect(fixture.server.requests("/up")[0].method == "PURGE")
        request.timeoutInterval = .infinity
        let far = session.uploadTask(with: request, fromFile: file)
        far.earliestBeginDate = Date(timeIntervalSince1970: 1e15)
        try await far.submit()
        session.invalidateAndCancel()
        try delegate.line("completed 2 -999 none")
        try delegate.line("invalid nil")
    }
}
