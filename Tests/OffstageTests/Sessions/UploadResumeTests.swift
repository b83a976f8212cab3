// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageTestSupport
import Testing

/// Upload tasks for a server that reports where an upload can be resumed.
@Suite struct UploadResumeTests {
    private static let kept = 100_000
    private static let size = 3_000_000
    private static let offer =
        "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 8\r\nLocation: /u/1\r\n\r\n"
    private static let stands = FaultAnswer.status(
        204,
        [
            .init(name: "Upload-Offset", value: "\(kept)"),
            .init(name: "Upload-Complete", value: "?0"),
        ]
    )
    private static let complete = FaultAnswer.status(
        201,
        [.init(name: "Upload-Complete", value: "?1")],
        body: "thanks"
    )

    /// The server accepts a part of the file, and the rest at another URL; the first request hangs until `gate` opens.
    private func script(_ server: FaultServer, heldAt gate: FaultGate? = nil) {
        server.script(
            "/in",
            FaultAnswer { exchange in
                try exchange.send(Self.offer)
                if let gate {
                    try exchange.readBody(heldAt: [(Self.kept, gate)])
                } else {
                    try exchange.readBody(stopAt: Self.kept)
                }
                exchange.reset()
            }
        )
        server.script("/u/1", Self.stands, Self.complete)
    }

    private func expectWhole(_ fixture: SessionFixture, _ file: URL) throws {
        let requests = fixture.server.requests
        #expect(requests.map(\.method) == ["PUT", "HEAD", "PATCH"])
        let append = try #require(requests.last)
        #expect(append.headers["Upload-Offset"] == "\(Self.kept)" && append.headers["X-Test"] == "one")
        #expect(Array(append.body) == Array(try TestFiles.read(file.path).dropFirst(Self.kept)))
    }

    /// Also nil while the daemon has not accepted the task yet.
    private func isResumable(_ fixture: SessionFixture) -> Bool? {
        (try? fixture.daemon.show(1))?.standing.string == "can be resumed" ? true : nil
    }

    private func request(_ fixture: SessionFixture) throws -> URLRequest {
        var request = try fixture.request("/in")
        request.setValue("one", forHTTPHeaderField: "X-Test")
        return request
    }

    @Test func `an upload that breaks goes on by itself where the server says`() throws {
        let fixture = try SessionFixture()
        script(fixture.server)
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let file = try fixture.file("film", bytes: Self.size)
        let task = session.uploadTask(with: try request(fixture), fromFile: file)
        task.resume()
        try delegate.line("completed 1 nil 201")
        try expectWhole(fixture, file)
        #expect(delegate.lines.contains("informed 1 104 /u/1"))
        #expect(delegate.lines.contains("body 1 6 thanks") && task.countOfBytesSent == Int64(Self.size))
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `an upload goes on from its resume data in another task`() throws {
        let fixture = try SessionFixture()
        let gate = FaultGate()
        script(fixture.server, heldAt: gate)
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let file = try fixture.file("film", bytes: Self.size)
        let first = session.uploadTask(with: try request(fixture), fromFile: file)
        first.resume()
        try eventually("the server's offer is heard of") { isResumable(fixture) }
        let data = Monitor<Data??>(nil)
        first.cancel(byProducingResumeData: { resumeData in data.withLock { $0 = .some(resumeData) } })
        let found = data.wait(TimeLimit(seconds: 20)) { $0 }
        let resumeData = try #require(found.flatMap { $0 })
        try delegate.line("completed 1 -999 ")
        gate.open()
        #expect((first.error as? URLError)?.uploadTaskResumeData == resumeData)
        #expect((first.error as? URLError)?.userInfo[NSURLSessionUploadTaskResumeData] as? Data == resumeData)
        let second = session.uploadTask(withResumeData: resumeData)
        #expect(second.originalRequest?.url == first.originalRequest?.url)
        second.resume()
        try delegate.line("completed 2 nil 201")
        try expectWhole(fixture, file)
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `an upload whose file has changed since starts over`() throws {
        let fixture = try SessionFixture()
        let gate = FaultGate()
        script(fixture.server, heldAt: gate)
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let file = try fixture.file("film", bytes: Self.size)
        let first = session.uploadTask(with: try request(fixture), fromFile: file)
        first.resume()
        try eventually("the server's offer is heard of") { isResumable(fixture) }
        let data = Monitor<Data??>(nil)
        first.cancel(byProducingResumeData: { resumeData in data.withLock { $0 = .some(resumeData) } })
        let found = data.wait(TimeLimit(seconds: 20)) { $0 }
        let resumeData = try #require(found.flatMap { $0 })
        gate.open()
        let bytes = [UInt8](repeating: 7, count: Self.size)
        try TestFiles.write(bytes, to: file.path)
        fixture.server.script("/in", .status(201))
        session.uploadTask(withResumeData: resumeData).resume()
        try delegate.line("completed 2 nil 201")
        let requests = fixture.server.requests
        #expect(requests.map(\.method) == ["PUT", "PUT"] && requests.last.map { Array($0.body) == bytes } == true)
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `there is no resume data where the server says nothing`() throws {
        let fixture = try SessionFixture()
        let gate = FaultGate()
        fixture.server.script("/in", FaultAnswer { try $0.readBody(heldAt: [(Self.kept, gate)]) })
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let task = session.uploadTask(
            with: try request(fixture),
            fromFile: try fixture.file("film", bytes: Self.size)
        )
        task.resume()
        _ = try fixture.server.waitForRequests("/in", count: 1)
        let data = Monitor<Data??>(nil)
        task.cancel(byProducingResumeData: { resumeData in data.withLock { $0 = .some(resumeData) } })
        let found = data.wait(TimeLimit(seconds: 20)) { $0 }
        #expect(try #require(found) == nil)
        try delegate.line("completed 1 -999 ")
        gate.open()
        #expect((task.error as? URLError)?.uploadTaskResumeData == nil)
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `data that is no resume data fails the task that is made from it`() throws {
        let fixture = try SessionFixture()
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        session.uploadTask(withResumeData: Data("nonsense".utf8)).resume()
        try delegate.line("completed 1 -1002 none")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }
}
