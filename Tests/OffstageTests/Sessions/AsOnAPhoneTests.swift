// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageCore
import OffstageTestSupport
import Testing

/// A background session's implicit behaviour on a phone, which a server or a delegate may rely on.
@Suite struct AsOnAPhoneTests {
    /// A delegate with the minimum of methods.
    private final class Terse: NSObject, URLSessionTaskDelegate {
        let ends = Monitor<[Int]>([])

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            ends.withLock { $0.append((task.response as? HTTPURLResponse)?.statusCode ?? 0) }
        }
    }

    /// The same, written for FoundationNetworking only: its default for delayed requests never answers.
    private final class Foreign: NSObject, FoundationNetworking.URLSessionTaskDelegate {
        let ends: Monitor<[Int]>

        init(_ ends: Monitor<[Int]>) { self.ends = ends }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            ends.withLock { $0.append((task.response as? HTTPURLResponse)?.statusCode ?? 0) }
        }
    }

    @Test(arguments: [false, true])
    func `a delayed transfer begins by itself when the delegate says nothing of it`(isForeign: Bool) throws {
        let fixture = try SessionFixture()
        fixture.server.script("/up", .status(201))
        let delegate = Terse()
        let foreign = Foreign(delegate.ends)
        let session = try fixture.session(delegate: isForeign ? foreign : delegate)
        let task = session.uploadTask(with: try fixture.request("/up"), fromFile: try fixture.file("a", bytes: 100))
        task.earliestBeginDate = Date(timeIntervalSinceNow: 0.2)
        task.resume()
        let ends = delegate.ends.wait(TimeLimit(seconds: 20)) { $0.isEmpty ? nil : $0 }
        #expect(ends == [201])
        session.invalidateAndCancel()
    }

    @Test func `a download with a range of its own has the part that came`() throws {
        let fixture = try SessionFixture()
        let file = FaultFile(random: 5000, seed: 4)
        let part = Array(file.bytes[1000..<2000])
        fixture.server.script("/part", .partial(contentRange: "bytes 1000-1999/5000", body: part))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        var request = try fixture.request("/part", method: "GET")
        request.setValue("bytes=1000-1999", forHTTPHeaderField: "Range")
        let task = session.downloadTask(with: request)
        task.taskDescription = fixture.daemon.path("part")
        task.resume()
        try delegate.line("completed 1 nil 206")
        #expect(try TestFiles.read(fixture.daemon.path("part")) == Array(file.bytes[1000..<2000]))
        session.invalidateAndCancel()
    }

    @Test func `a range of its own that breaks off is asked for again as it was`() throws {
        let fixture = try SessionFixture()
        let file = FaultFile(random: 3_000_000, seed: 5)
        let range = Array(file.bytes[100_000..<2_500_000])
        let head = [
            HeaderField(name: "Content-Range", value: "bytes 100000-2499999/3000000"),
            HeaderField(name: "Content-Length", value: "\(range.count)"), HeaderField(name: "ETag", value: "\"a\""),
        ]
        fixture.server.script(
            "/part",
            FaultAnswer { exchange in
                try exchange.sendHead(206, head)
                try exchange.sendBody(range.prefix(1_500_000))
                exchange.close()
            },
            FaultAnswer { exchange in
                try exchange.sendHead(206, head)
                try exchange.sendBody(range[...])
            }
        )
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        var request = try fixture.request("/part", method: "GET")
        request.setValue("bytes=100000-2499999", forHTTPHeaderField: "Range")
        let task = session.downloadTask(with: request)
        task.taskDescription = fixture.daemon.path("part")
        task.resume()
        try delegate.line("completed 1 nil 206")
        #expect(try TestFiles.read(fixture.daemon.path("part")) == range)
        let asked = try fixture.server.waitForRequests("/part", count: 2)
        #expect(asked.map { $0.headers["Range"] } == ["bytes=100000-2499999", "bytes=100000-2499999"])
        session.invalidateAndCancel()
    }

    @Test(arguments: [("gzip", true), ("utf-8", false), ("identity", false)])
    func `a content coding is undone where it is one`(_ coding: String, _ isCoded: Bool) throws {
        let fixture = try SessionFixture()
        // `printf 'hello hello hello' | gzip -n`
        let coded: [UInt8] = [
            0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40,
            0x90, 0x00, 0x80, 0x88, 0xf9, 0xe5, 0x11, 0x00, 0x00, 0x00,
        ]
        let plain = Array("hello hello hello".utf8)
        let body = isCoded ? coded : plain
        let answer = FaultAnswer { exchange in
            try exchange.readBody()
            try exchange.respond(200, [HeaderField(name: "Content-Encoding", value: coding)], body: body)
        }
        fixture.server.script("/down", answer)
        fixture.server.script("/up", answer)
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let download = session.downloadTask(with: try fixture.url("/down"))
        download.taskDescription = fixture.daemon.path("down")
        download.resume()
        try delegate.line("completed 1 nil 200")
        #expect(try TestFiles.read(fixture.daemon.path("down")) == plain)
        session.uploadTask(with: try fixture.request("/up"), fromFile: try fixture.file("a", bytes: 10)).resume()
        try delegate.line("completed 2 nil 200")
        #expect(delegate.lines.contains("body 2 17 hello hello hello"))
        session.invalidateAndCancel()
    }

    @Test func `only a large body waits for a go-ahead, and not twice for a server that gives none`() throws {
        let fixture = try SessionFixture()
        // Reads the body without ever having invited it.
        let silent = FaultAnswer { exchange in
            try exchange.readBody(givesGoAhead: false)
            try exchange.respond(201)
        }
        fixture.server.script("/up", silent, silent, silent)
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        for (number, bytes) in [(1, 27), (2, 2 << 20), (3, 2 << 20)] {
            let file = try fixture.file("file-\(number)", bytes: bytes)
            session.uploadTask(with: try fixture.request("/up"), fromFile: file).resume()
            try delegate.line("completed \(number) nil 201")
        }
        let sent = try fixture.server.waitForRequests("/up", count: 3)
        #expect(sent.map { $0.headers["Expect"] } == [nil, "100-continue", nil])
        session.invalidateAndCancel()
    }

    @Test func `a POST has a key by which its repetition is known`() throws {
        let fixture = try SessionFixture()
        fixture.server.script("/post", .cutsUpload(after: 10), .status(201))
        fixture.server.script("/own", .status(201))
        fixture.server.script("/put", .status(201))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        let file = try fixture.file("a", bytes: 5000)
        session.uploadTask(with: try fixture.request("/post", method: "POST"), fromFile: file).resume()
        try delegate.line("completed 1 nil 201")
        var own = try fixture.request("/own", method: "POST")
        own.setValue("mine", forHTTPHeaderField: "Idempotency-Key")
        session.uploadTask(with: own, fromFile: file).resume()
        session.uploadTask(with: try fixture.request("/put"), fromFile: file).resume()
        try delegate.line("completed 2 nil 201")
        try delegate.line("completed 3 nil 201")
        let keys = try fixture.server.waitForRequests("/post", count: 2).map { $0.headers["Idempotency-Key"] }
        #expect(keys[0] != nil && keys[0] == keys[1])
        #expect(try fixture.server.waitForRequests("/own", count: 1)[0].headers["Idempotency-Key"] == "mine")
        #expect(try fixture.server.waitForRequests("/put", count: 1)[0].headers["Idempotency-Key"] == nil)
        session.invalidateAndCancel()
    }

    @Test func `the calls with a task's delegate work, and hear of the session's own`() async throws {
        let fixture = try SessionFixture()
        fixture.server.script("/down", .status(200, body: "a file"))
        fixture.server.script("/data", .status(200, body: "data"))
        let delegate = Terse()
        let session = try fixture.session(delegate: nil)
        let (file, _) = try await session.download(from: try fixture.url("/down"), delegate: delegate)
        #expect(try String(contentsOf: file, encoding: .utf8) == "a file")
        try FileManager.default.removeItem(at: file)
        let (data, _) = try await session.data(from: try fixture.url("/data"), delegate: nil)
        #expect(String(decoding: data, as: UTF8.self) == "data")
        session.invalidateAndCancel()
    }
}
