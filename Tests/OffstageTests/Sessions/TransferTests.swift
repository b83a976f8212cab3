// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageTestSupport
import Testing

@Suite struct TransferTests {
    @Test func `an upload arrives and its delegate hears of it in Apple's order`() throws {
        let fixture = try SessionFixture()
        fixture.server.script("/up", .status(201, body: "stored"))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        var request = try fixture.request("/up")
        request.setValue("one", forHTTPHeaderField: "X-Test")
        let task = session.uploadTask(with: request, fromFile: try fixture.file("a", bytes: 5000))
        #expect(task.taskIdentifier == 1)
        #expect(task.state == .suspended)
        #expect(task.originalRequest == request)
        task.resume()
        #expect(task.state == .running)
        #expect(task.countOfBytesExpectedToSend == 5000)
        try delegate.line("completed 1")
        #expect(delegate.lines == ["created 1", "body 1 6 stored", "metrics 1", "completed 1 nil 201"])
        #expect(delegate.calls.withLock { $0.contains("sent 1 5000 of 5000") })
        #expect(task.state == .completed)
        #expect(task.error == nil)
        #expect(task.countOfBytesSent == 5000)
        let sent = try fixture.server.waitForRequests("/up", count: 1)
        #expect(sent[0].headers["X-Test"] == "one")
        #expect(try TestFiles.sha256(of: sent[0].body) == TestFiles.sha256(fixture.daemon.path("a")))
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `a download is there while didFinishDownloadingTo runs, and gone unless it was moved`() throws {
        let fixture = try SessionFixture()
        let file = FaultFile(random: 70_000, seed: 3)
        fixture.server.script("/down", .file(file))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let kept = session.downloadTask(with: try fixture.url("/down"))
        kept.taskDescription = fixture.daemon.path("kept")
        let left = session.downloadTask(with: try fixture.url("/down"))
        kept.resume()
        left.resume()
        try delegate.line("completed 1 nil 200")
        try delegate.line("completed 2 nil 200")
        #expect(try TestFiles.read(fixture.daemon.path("kept")) == file.bytes)
        let location = try delegate.line("file 2 ").dropFirst("file 2 ".count)
        #expect(location.hasPrefix(fixture.daemon.home + "/downloads/"))
        #expect(!TestFiles.exists(String(location)))
        #expect(left.countOfBytesReceived == 70_000)
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `a status of 404 is no error, and its body is the file`() throws {
        let fixture = try SessionFixture()
        fixture.server.script("/none", .status(404, body: "nothing here"))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let task = session.downloadTask(with: try fixture.url("/none"))
        task.taskDescription = fixture.daemon.path("body")
        task.resume()
        try delegate.line("completed 1 nil 404")
        #expect(try TestFiles.text(fixture.daemon.path("body")) == "nothing here")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `a long reply to an upload comes whole`() throws {
        let fixture = try SessionFixture()
        let body = String(repeating: "0123456789", count: 20_000)
        fixture.server.script("/up", .status(200, body: body))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        session.uploadTask(with: try fixture.request("/up"), fromFile: try fixture.file("a", bytes: 10)).resume()
        try delegate.line("body 1 200000 0123456789")
        try delegate.line("completed 1 nil 200")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test(arguments: [("missing", -1100), ("folder", -1101)])
    func `a file that cannot be sent fails its task with Apple's code`(name: String, code: Int) throws {
        let fixture = try SessionFixture()
        try TestFiles.makeDirectory(fixture.daemon.path("folder"))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let file = URL(fileURLWithPath: fixture.daemon.path(name))
        session.uploadTask(with: try fixture.request("/up"), fromFile: file).resume()
        try delegate.line("completed 1 \(code) none")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test(arguments: [("ftp://localhost/a", -1002), ("file:///etc/hostname", -1002)])
    func `a URL that is not for the web fails its task with Apple's code`(text: String, code: Int) throws {
        let fixture = try SessionFixture()
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        session.downloadTask(with: try #require(URL(string: text))).resume()
        try delegate.line("completed 1 \(code) none")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `a name that is not known fails with -1001 once the time for the whole is over`() throws {
        let fixture = try SessionFixture()
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate) { $0.timeoutIntervalForResource = 1 }
        session.downloadTask(with: try #require(URL(string: "http://nowhere.invalid/"))).resume()
        try delegate.line("completed 1 -1001 none")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `additional headers are added where the request has none of the name`() throws {
        let fixture = try SessionFixture()
        fixture.server.script("/up", .status(201))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate) {
            $0.httpAdditionalHeaders = ["X-A": "configuration", "X-B": "configuration"]
        }
        var request = try fixture.request("/up")
        request.setValue("request", forHTTPHeaderField: "x-a")
        session.uploadTask(with: request, fromFile: try fixture.file("a", bytes: 1)).resume()
        try delegate.line("completed 1 nil 201")
        let headers = try fixture.server.waitForRequests("/up", count: 1)[0].headers
        #expect(headers["X-A"] == "request")
        #expect(headers["X-B"] == "configuration")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `cookies go out with the request and come in with the response`() throws {
        let fixture = try SessionFixture()
        fixture.server.script("/up", .status(200, [.init(name: "Set-Cookie", value: "seen=yes; Path=/")]))
        let delegate = RecordingDelegate()
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let session = try fixture.session(delegate: delegate) { $0.httpCookieStorage = storage }
        for number in 1...2 {
            session.uploadTask(with: try fixture.request("/up"), fromFile: try fixture.file("a", bytes: 1)).resume()
            try delegate.line("completed \(number) nil 200")
        }
        let requests = try fixture.server.waitForRequests("/up", count: 2)
        #expect(requests[0].headers["Cookie"] == nil)
        #expect(requests[1].headers["Cookie"] == "seen=yes")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test(arguments: [true, false]) func `a redirect's cookie goes where the redirect leads`(isData: Bool) async throws
    {
        let fixture = try SessionFixture()
        let fields = [("Location", "/there"), ("Set-Cookie", "seen=yes; Path=/")]
        fixture.server.script("/here", .status(302, fields.map { .init(name: $0.0, value: $0.1) }))
        fixture.server.script("/there", .status(200))
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let session = try fixture.session(delegate: RecordingDelegate()) { $0.httpCookieStorage = storage }
        if isData {
            _ = try await session.data(for: fixture.request("/here"))
        } else {
            _ = try await session.upload(for: fixture.request("/here"), fromFile: fixture.file("a", bytes: 1))
        }
        let requests = try fixture.server.waitForRequests("/there", count: 1)
        #expect(requests[0].headers["Cookie"] == "seen=yes")
        #expect(storage.cookies?.isEmpty == !isData)
    }

    @Test func `what a data task has for one place does not go to another`() async throws {
        let (fixture, other) = (try SessionFixture(), try FaultServer())
        fixture.server.script("/here", .redirect(to: "/next"))
        fixture.server.script("/next", .redirect(to: other.url("/there").replacing("127.0.0.1", with: "localhost")))
        other.script("/there", .status(200))
        let session = try fixture.session(delegate: RecordingDelegate())
        var request = try fixture.request("/here")
        for (name, value) in [("X-Api-Key", "s3cr3t"), ("Cookie", "a=s3cr3t"), ("Accept-Language", "de")] {
            request.setValue(value, forHTTPHeaderField: name)
        }
        _ = try await session.data(for: request)
        #expect(try fixture.server.waitForRequests("/next", count: 1)[0].headers["X-Api-Key"] == "s3cr3t")
        let arrived = try other.waitForRequests("/there", count: 1)[0]
        #expect(!arrived.headers.contains { $0.value.contains("s3cr3t") })
        #expect(arrived.headers["Accept-Language"] == "de")
    }

    @Test(arguments: [(HTTPCookie.AcceptPolicy.never, true), (.always, false)])
    func `a configuration keeps cookies in or out`(policy: HTTPCookie.AcceptPolicy, sends: Bool) throws {
        let fixture = try SessionFixture()
        fixture.server.script("/up", .status(200, [.init(name: "Set-Cookie", value: "seen=yes; Path=/")]))
        let delegate = RecordingDelegate()
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let session = try fixture.session(delegate: delegate) {
            $0.httpCookieStorage = storage
            $0.httpCookieAcceptPolicy = policy
            $0.httpShouldSetCookies = sends
        }
        for number in 1...2 {
            session.uploadTask(with: try fixture.request("/up"), fromFile: try fixture.file("a", bytes: 1)).resume()
            try delegate.line("completed \(number) nil 200")
        }
        #expect(try fixture.server.waitForRequests("/up", count: 2).allSatisfy { $0.headers["Cookie"] == nil })
        #expect(storage.cookies?.count == (policy == .never ? 0 : 1))
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }
}
