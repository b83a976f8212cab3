// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageTestSupport
import Testing

@Suite struct `Uploads of a background session` {
    private let server: FaultServer

    init() throws {
        server = try FaultServer()
        server.script("/in", .status(201, [.init(name: "X-Number", value: "7")], body: "thanks"))
    }

    @Test func `an upload from a file tells its delegate everything in order`() throws {
        let delegate = RecordingDelegate()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let session = SessionHome.session(delegate, queue: queue)
        defer { session.invalidateAndCancel() }
        let file = try SessionHome.makeFile(300_000)
        var request = try SessionHome.request(server.url("/in"), method: "PUT")
        request.httpBody = Data("not this".utf8)
        // An upload task is also a data task, as on Apple's platforms.
        let task: URLSessionDataTask = session.uploadTask(with: request, fromFile: file.url)
        #expect(delegate.names(of: task) == ["created"], "inside the call that makes the task")
        #expect(task.state == .suspended)
        task.resume()
        #expect(try delegate.waitForEnd(of: task) == nil)
        #expect(server.requests.first?.body == file.bytes)
        #expect(delegate.names(of: task) == ["created", "sent", "data", "metrics", "completed"])
        #expect(delegate.data(of: task) == Array("thanks".utf8))
        #expect(delegate.calls("sent", of: task).last?.numbers.suffix(2) == [300_000, 300_000])
        #expect(delegate.queues == [ObjectIdentifier(queue)])
        let response = try #require(task.response as? HTTPURLResponse)
        #expect(response.statusCode == 201)
        #expect(response.value(forHTTPHeaderField: "X-Number") == "7")
        #expect(task.countOfBytesSent == 300_000)
        #expect(task.countOfBytesExpectedToSend == 300_000)
        #expect(task.state == .completed)
        #expect(task is URLSessionUploadTask)
    }

    @Test func `an upload from data arrives and leaves no file behind`() throws {
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let task = session.uploadTask(
            with: try SessionHome.request(server.url("/in"), method: "POST"),
            from: Data("kept in memory".utf8)
        )
        task.resume()
        #expect(try delegate.waitForEnd(of: task) == nil)
        #expect(server.requests.first?.method == "POST")
        #expect(server.requests.first.map { String(decoding: $0.body, as: UTF8.self) } == "kept in memory")
        try eventually("the spooled body is gone") {
            let search = ["-rls", "--exclude=store.sqlite*", "kept in memory", SessionHome.daemon.home]
            return try ChildProcess.run("/usr/bin/grep", search).output.isEmpty ? true : nil
        }
    }

    @Test func `a completion handler is called in place of the delegate`() throws {
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let answers = Monitor<[String]>([])
        let note: @Sendable (Data?, URLResponse?, (any Error)?) -> Void = { data, response, error in
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            let line = "\(status) \(String(decoding: data ?? Data(), as: UTF8.self)) \(error == nil)"
            answers.withLock { $0.append(line) }
        }
        let file = try SessionHome.makeFile(1000)
        let request = try SessionHome.request(server.url("/in"), method: "PUT")
        let download = session.downloadTask(with: try SessionHome.url(server.url("/in"))) { location, response, error in
            note(location.flatMap { try? Data(contentsOf: $0) }, response, error)
        }
        let tasks: [URLSessionTask] = [
            session.uploadTask(with: request, fromFile: file.url, completionHandler: note),
            session.uploadTask(with: request, from: Data("data".utf8), completionHandler: note),
            download,
        ]
        for task in tasks { task.resume() }
        let found = answers.wait(TimeLimit(seconds: 30)) { $0.count == 3 ? $0 : nil }
        #expect(found == ["201 thanks true", "201 thanks true", "201 thanks true"])
        for task in tasks { #expect(!delegate.names(of: task).contains("completed")) }
    }

    @Test func `the async forms return what the server said`() async throws {
        let session = SessionHome.session()
        defer { session.invalidateAndCancel() }
        let file = try SessionHome.makeFile(1000)
        let request = try SessionHome.request(server.url("/in"), method: "PUT")
        let sent = try await session.upload(for: request, fromFile: file.url)
        #expect(String(decoding: sent.0, as: UTF8.self) == "thanks")
        #expect((sent.1 as? HTTPURLResponse)?.statusCode == 201)
        let data = try await session.upload(for: request, from: Data("data".utf8))
        #expect(String(decoding: data.0, as: UTF8.self) == "thanks")
        let fetched = try await session.download(from: SessionHome.url(server.url("/in")))
        #expect(try TestFiles.text(fetched.0.path) == "thanks")
        try FileManager.default.removeItem(at: fetched.0)
        let again = try await session.download(for: SessionHome.request(server.url("/in")))
        #expect((again.1 as? HTTPURLResponse)?.statusCode == 201)
        try FileManager.default.removeItem(at: again.0)
        #expect(server.requests.map { $0.body.count } == [1000, 4, 0, 0])
    }

    @Test func `an answer of 404 is no error`() throws {
        server.script("/nowhere", .status(404, body: "not here"))
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let file = try SessionHome.makeFile(1000)
        let upload = session.uploadTask(
            with: try SessionHome.request(server.url("/nowhere"), method: "PUT"),
            fromFile: file.url
        )
        let download = session.downloadTask(with: try SessionHome.url(server.url("/nowhere")))
        for task in [upload, download] as [URLSessionTask] {
            task.resume()
            #expect(try delegate.waitForEnd(of: task) == nil)
            #expect((task.response as? HTTPURLResponse)?.statusCode == 404)
        }
        #expect(delegate.data(of: upload) == Array("not here".utf8))
        #expect(delegate.file(of: download) == Array("not here".utf8), "a download gives the error's body as its file")
    }
}
