// SPDX-License-Identifier: Apache-2.0
import Glibc
import Offstage
import OffstageTestSupport
import Testing

@Suite struct `Forms of a background session` {
    private let server: FaultServer

    init() throws {
        server = try FaultServer()
        server.script("/in", .status(201, body: "thanks"))
    }

    /// The names of the files in the folder for bodies that contain this text.
    private func spooled(_ text: String) throws -> String {
        let search = ["-rl", "--exclude=store.sqlite*", text, SessionHome.daemon.home]
        return try ChildProcess.run("/usr/bin/grep", search).output
    }

    @Test(.enabled(if: FormReceiver.isThere, "\(FormReceiver.reason)"))
    func `a form arrives as it was made, and its length is known before`() throws {
        let receiver = try FormReceiver()
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let photo = try SessionHome.makeFile(300_001, seed: 1)
        let story = try SessionHome.makeFile(2000, seed: 2)
        let data = Data("kept in memory for a form".utf8)
        var form = MultipartForm()
        form.addField("title \"ü\"", "one\ntwo")
        form.addFile("photo", at: photo.url, fileName: "a.jpg")
        form.addFile("photo", at: photo.url, contentType: "image/x-raw")
        form.addText("story", from: story.url)
        form.addData("note", data, fileName: "note.txt")
        form.addData("bytes", data, fileName: nil)
        var request = try SessionHome.request(receiver.url("/form"))
        request.setValue("text/plain", forHTTPHeaderField: "content-type")
        let task = session.uploadTask(with: request, fromForm: form)
        task.resume()
        #expect(try delegate.waitForEnd(of: task) == nil)
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        let text = String(decoding: data, as: UTF8.self)
        let expected: [FormReceiver.Part] = [
            try .init("title \"ü\"", "one\r\ntwo"),
            try .init("photo", photo.bytes, fileName: "a.jpg", contentType: "image/jpeg"),
            try .init("photo", photo.bytes, fileName: photo.url.lastPathComponent, contentType: "image/x-raw"),
            try .init("story", story.bytes), try .init("note", text, fileName: "note.txt", contentType: "text/plain"),
            try .init("bytes", text),
        ]
        #expect(try receiver.parts("/form") == expected)
        let received = try receiver.form("/form")
        let headers = received.headers.array.map { ($0[0].string?.lowercased(), $0[1].string) }
        #expect(headers.filter { $0.0 == "content-type" }.map { $0.1 } == [form.contentType])
        #expect(task.countOfBytesExpectedToSend == received.bytes.integer.map(Int64.init))
        #expect(task.countOfBytesSent == task.countOfBytesExpectedToSend)
        #expect(delegate.names(of: task).contains("sent"))
        try eventually("what was written for the form is gone") { try spooled(text).isEmpty ? true : nil }
    }

    @Test func `a form is posted unless the request says otherwise`() throws {
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        var form = MultipartForm()
        form.addField("a", "b")
        for method in ["GET", "PUT", "patch"] {
            let request = try SessionHome.request(server.url("/in"), method: method)
            let task = session.uploadTask(with: request, fromForm: form)
            // As the daemon reports them to the next process.
            #expect(task.originalRequest?.value(forHTTPHeaderField: "Content-Type") == form.contentType)
            if method == "GET" { #expect(task.originalRequest?.httpMethod == "POST") }
            task.resume()
            #expect(try delegate.waitForEnd(of: task) == nil)
        }
        #expect(server.requests("/in").map(\.method) == ["POST", "PUT", "PATCH"])
    }

    @Test func `handlers and the async form return what the server said`() async throws {
        let session = SessionHome.session()
        defer { session.invalidateAndCancel() }
        let file = try SessionHome.makeFile(1000)
        var form = MultipartForm()
        form.addFile("f", at: file.url)
        let request = try SessionHome.request(server.url("/in"), method: "POST")
        let sent = try await session.upload(for: request, fromForm: form)
        #expect(String(decoding: sent.0, as: UTF8.self) == "thanks")
        let answer = Monitor<String?>(nil)
        session.uploadTask(with: request, fromForm: form) { data, response, error in
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            let text = "\(status) \(String(decoding: data ?? Data(), as: UTF8.self)) \(error == nil)"
            answer.withLock { $0 = text }
        }.resume()
        #expect(answer.wait(TimeLimit(seconds: 30)) { $0 } == "201 thanks true")
        #expect(Set(server.requests("/in").map(\.body)).count == 1, "a form has one boundary, however often it is sent")
    }

    @Test func `a form that cannot be sent fails and leaves nothing behind`() throws {
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let request = try SessionHome.request(server.url("/in"))
        let data = Data("left behind by a form".utf8)
        var missing = MultipartForm()
        missing.addData("d", data, fileName: "d")
        missing.addFile("f", at: URL(fileURLWithPath: "/nonexistent/file"))
        var large = MultipartForm()
        large.addData("d", data, fileName: "d")
        for number in 0..<1000 { large.addField("n\(number)", "v") }
        for form in [missing, large, MultipartForm()] {
            let task = session.uploadTask(with: request, fromForm: form)
            task.resume()
            #expect(try delegate.waitForEnd(of: task) != nil)
        }
        let task = session.uploadTask(with: request, fromForm: missing)
        task.resume()
        #expect(try delegate.waitForEnd(of: task)?.code == URLError.Code.fileDoesNotExist.rawValue)
        #expect(try spooled("left behind by a form").isEmpty)
        #expect(server.requests.isEmpty)
    }

    @Test func `a form that is too long to hand over says so, and not that a connection was lost`() throws {
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let names = (0..<6).map { _ in String(repeating: "x", count: 240) }
        let folder = SessionHome.daemon.path(([UUID().uuidString] + names).joined(separator: "/"))
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = URL(fileURLWithPath: folder + "/f")
        try Data("x".utf8).write(to: file)
        let data = Data("left behind by a long form".utf8)
        var form = MultipartForm()
        form.addData("d", data, fileName: "d")
        for number in 1..<1000 { form.addFile("f\(number)", at: file) }
        let task = session.uploadTask(with: try SessionHome.request(server.url("/in")), fromForm: form)
        task.resume()
        let error = try #require(try delegate.waitForEnd(of: task))
        #expect(error.code == URLError.Code.unknown.rawValue)
        #expect(error.localizedDescription.contains("too long to hand over"), "\(error)")
        #expect(try spooled("left behind by a long form").isEmpty)
        #expect(server.requests.isEmpty)
    }

    /// The delegate changes the given request, or replaces it with one that knows nothing of a form.
    @Test(arguments: [true, false])
    func `a form with a begin date goes out as the delegate wants it, and stays a form`(isFresh: Bool) throws {
        let token = "X-Token"
        let delegate = RecordingDelegate { _ in
        } delayed: { request in
            var other = isFresh ? request.url.map { URLRequest(url: $0) } ?? request : request
            other.setValue("fresh", forHTTPHeaderField: token)
            return (.useNewRequest, other)
        }
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        var form = MultipartForm()
        form.addField("a", "b")
        let task = session.uploadTask(with: try SessionHome.request(server.url("/in")), fromForm: form)
        task.earliestBeginDate = Date(timeIntervalSinceNow: 0.5)
        task.resume()
        #expect(try delegate.waitForEnd(of: task) == nil)
        let sent = try #require(server.requests("/in").first)
        #expect(sent.method == "POST")
        #expect(sent.headers[token] == "fresh")
        #expect(sent.headers["Content-Type"] == form.contentType)
        #expect(task.currentRequest?.httpMethod == "POST")
        #expect(task.currentRequest?.value(forHTTPHeaderField: "Content-Type") == form.contentType)
    }

    /// As in phone apps, which have no form API.
    @Test(.enabled(if: FormReceiver.isThere, "\(FormReceiver.reason)"))
    func `code that writes its own body file goes on unchanged`() throws {
        let receiver = try FormReceiver()
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let photo = try SessionHome.makeFile(200_000)
        let boundary = "Boundary-\(UUID().uuidString)"
        var body = Data()
        body.append(Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nSunset\r\n".utf8))
        body.append(
            Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.jpg\"\r\n".utf8)
        )
        body.append(Data("Content-Type: image/jpeg\r\n\r\n".utf8))
        body.append(Data(photo.bytes))
        body.append(Data("\r\n--\(boundary)--\r\n".utf8))
        let file = URL(fileURLWithPath: SessionHome.daemon.path(UUID().uuidString))
        try body.write(to: file)
        var request = try SessionHome.request(receiver.url("/own"), method: "POST")
        request.setValue("multipart/form-data; boundary=\(boundary)", forHTTPHeaderField: "Content-Type")
        let task = session.uploadTask(with: request, fromFile: file)
        task.resume()
        #expect(try delegate.waitForEnd(of: task) == nil)
        let expected: [FormReceiver.Part] = [
            try .init("title", "Sunset"),
            try .init("photo", photo.bytes, fileName: "a.jpg", contentType: "image/jpeg"),
        ]
        #expect(try receiver.parts("/own") == expected)
        #expect(task.countOfBytesExpectedToSend == Int64(body.count))
    }
}
