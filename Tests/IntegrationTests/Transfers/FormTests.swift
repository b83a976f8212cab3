// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Forms sent with the command, through the daemon, to servers that check every byte.
@Suite struct `Forms arrive` {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
    }

    private typealias Part = (head: String, content: [UInt8])

    /// The expected body of a form with these fields and files, built without the code under test.
    private func body(_ boundary: String, _ parts: Part...) -> [UInt8] {
        var body: [UInt8] = []
        for part in parts {
            body += "--\(boundary)\r\nContent-Disposition: form-data; \(part.head)\r\n\r\n".utf8
            body += part.content
            body += "\r\n".utf8
        }
        return body + Array("--\(boundary)--\r\n".utf8)
    }

    /// The boundary that a request's `Content-Type` names.
    private func boundary(_ request: RecordedRequest) throws -> String {
        let type = try #require(request.headers["Content-Type"])
        let start = "multipart/form-data; boundary="
        try #require(type.hasPrefix(start))
        return String(type.dropFirst(start.count))
    }

    /// A random file as a part.
    private func file(_ name: String, _ path: String) throws -> Part {
        ("name=\"f\"; filename=\"\(name)\"\r\nContent-Type: application/octet-stream", try TestFiles.read(path))
    }

    @Test(.enabled(if: FormReceiver.isThere, "\(FormReceiver.reason)"))
    func `two parsers read every part as it was meant`() throws {
        let receiver = try FormReceiver()
        try TestFiles.makeRandom(daemon.path("big.bin"), bytes: 5_000_001, seed: 1)
        try TestFiles.makeRandom(daemon.path("ü \"x\".JPG"), bytes: 70_000, seed: 2)
        try TestFiles.write([], to: daemon.path("empty"))
        try TestFiles.write("\r\n--\r\nOffstageFormBoundary-\r\n\n", to: daemon.path("tricky.txt"))
        let big = try TestFiles.read(daemon.path("big.bin"))
        let photo = try TestFiles.read(daemon.path("ü \"x\".JPG"))
        let result = try daemon.run(
            "upload",
            "-F",
            "title=Zwei\nZeilen ü",
            "-F",
            "file=@big.bin,empty",
            "-F",
            #"photo=@"ü \"x\".JPG""#,
            "-F",
            "text=<tricky.txt",
            "-F",
            "raw=@tricky.txt;type=text/x-tricky; charset=utf-8;filename=\"a;b\nc\"",
            "--form-string",
            "line\nbreak \"q\"=@literal;type=a/b",
            "-F",
            "last=",
            receiver.url("/all")
        )
        #expect(result.isSuccess, "\(result)")
        let tricky = "\r\n--\r\nOffstageFormBoundary-\r\n\n"
        let expected: [FormReceiver.Part] = [
            try .init("title", "Zwei\r\nZeilen ü"),
            try .init("file", big, fileName: "big.bin", contentType: "application/octet-stream"),
            try .init("file", "", fileName: "empty", contentType: "application/octet-stream"),
            try .init("photo", photo, fileName: "ü \"x\".JPG", contentType: "image/jpeg"),
            try .init("text", tricky),
            try .init("raw", tricky, fileName: "a;b\nc", contentType: "text/x-tricky; charset=utf-8"),
            try .init("line\r\nbreak \"q\"", "@literal;type=a/b"), try .init("last", ""),
        ]
        #expect(try receiver.parts("/all") == expected)
    }

    @Test func `nginx stores a form with exactly the bytes and the length that it should have`() throws {
        let certificate = try TestCertificate(in: daemon.directory.path)
        for nginx in [try NginxServer(), try NginxServer(.init(certificate: certificate))] {
            defer { nginx.kill() }
            let file = try daemon.makeFile("file", bytes: 3_000_000)
            let result = try daemon.run(
                "upload",
                "-X",
                "PUT",
                "--cacert",
                certificate.authority,
                "-F",
                "a=b",
                "-F",
                "f=@file",
                nginx.url("form")
            )
            #expect(result.isSuccess, "\(result)")
            let stored = try TestFiles.read(nginx.path("form"))
            let line = try #require(stored.firstIndex(of: 13))
            let boundary = String(decoding: stored[2..<line], as: UTF8.self)
            #expect(try stored == body(boundary, ("name=\"a\"", [98]), self.file("file", file.path)))
            #expect(try daemon.json("list").transfers[0].bytesDone.integer == stored.count)
            unlink(nginx.path("form"))
        }
    }

    @Test func `a form that was cut off is sent again, the same to the last byte`() throws {
        server.script("/in", .cutsUpload(after: 700_000), .busy(retryAfter: nil), .status(201))
        let one = try daemon.makeFile("one", bytes: 500_000, seed: 1)
        let two = try daemon.makeFile("two", bytes: 500_000, seed: 2)
        let result = try daemon.run("upload", "-F", "f=@one,two", "-F", "v=x", server.url("/in"))
        #expect(result.isSuccess, "\(result)")
        let requests = server.requests("/in")
        #expect(requests.count == 3)
        let last = try #require(requests.last)
        let whole = try body(
            boundary(last),
            file("one", one.path),
            file("two", two.path),
            ("name=\"v\"", Array("x".utf8))
        )
        #expect(last.body == whole)
        #expect(requests.map(\.method) == ["POST", "POST", "POST"])
        #expect(Set(requests.map { $0.headers["Content-Length"] }) == ["\(whole.count)"])
        #expect(Set(requests.map { $0.headers["Content-Type"] }).count == 1)
        #expect(Set(requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(whole.starts(with: requests[0].body))
    }

    @Test func `a form follows a redirect with all its files`() throws {
        server.script("/moved", .redirect(to: "/in", status: 307))
        server.script("/in", .status(201))
        let file = try daemon.makeFile("file", bytes: 400_000)
        let result = try daemon.run("upload", "-F", "a=b", "-F", "f=@file", server.url("/moved"))
        #expect(result.isSuccess, "\(result)")
        let request = try #require(server.requests("/in").first)
        #expect(try request.body == body(boundary(request), ("name=\"a\"", [98]), self.file("file", file.path)))
    }

    @Test func `a form goes on although the daemon was killed while it was sent`() throws {
        let gate = FaultGate()
        server.script("/in", .reads(heldAt: [(position: 300_000, gate: gate)]), .status(201))
        let file = try daemon.makeFile("file", bytes: 2_000_000)
        let id = try daemon.submit("upload", "-F", "a=b", "-F", "f=@file", server.url("/in"))
        try server.waitForUpload("/in", bytes: 200_000)
        try daemon.killDaemon()
        gate.open()
        #expect(try daemon.wait(id).isSuccess)
        let requests = server.requests("/in")
        let last = try #require(requests.last)
        #expect(try last.body == body(boundary(last), ("name=\"a\"", [98]), self.file("file", file.path)))
        #expect(Set(requests.map { $0.headers["Content-Type"] }).count == 1)
    }

    @Test(arguments: ["one", "two"])
    func `a file of a form that changes before or while it is sent is no success`(changed: String) throws {
        server.script("/in", .readsSlowly(1_500_000))
        for name in ["one", "two"] { _ = try daemon.makeFile(name, bytes: 2_000_000) }
        let id = try daemon.submit("upload", "-F", "f=@one,two", server.url("/in"))
        try daemon.watchBytes(id, atLeast: 300_000)
        let file = open(daemon.path(changed), O_WRONLY | O_CLOEXEC)
        #expect(pwrite(file, "changed", 7, 1_900_000) == 7)
        close(file)
        expectSentence(try daemon.wait(id), code: 1)
        let row = try daemon.show(id)
        #expect(row.reason.failure.string == "sourceChanged")
        #expect(row.reason.summary.string?.contains(daemon.path(changed)) == true, "\(row.reason)")
    }

    @Test(arguments: [("shorter", "sourceChanged"), ("deleted", "sourceMissing")], ["one", "two"])
    func `a form whose file has changed before its turn is not begun`(change: (String, String), file: String) throws {
        for name in ["one", "two"] { _ = try daemon.makeFile(name, bytes: 200_000) }
        let id = try daemon.submit("upload", "-F", "f=@one,two", "--begin", "+1h", server.url("/in"))
        if change.0 == "deleted" {
            #expect(unlink(daemon.path(file)) == 0)
        } else {
            #expect(truncate(daemon.path(file), 100_000) == 0)
        }
        #expect(try daemon.run("retry", "\(id)").isSuccess)
        expectSentence(try daemon.wait(id), code: 1)
        let row = try daemon.show(id)
        #expect(row.reason.failure.string == change.1)
        #expect(row.reason.summary.string?.contains(daemon.path(file)) == true, "\(row.reason)")
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [301, 302, 303])
    func `a form that a server has is not sent again to where the server points`(status: Int) throws {
        server.script("/in", .redirect(to: "/thanks", status: status))
        server.script("/thanks", .status(200, body: "thanks"))
        let file = try daemon.makeFile("file", bytes: 400_000)
        #expect(try daemon.run("upload", "-F", "a=b", "-F", "f=@file", server.url("/in")).isSuccess)
        #expect(server.requests.map(\.method) == ["POST", "GET"])
        let posted = try #require(server.requests.first)
        #expect(try posted.body == body(boundary(posted), ("name=\"a\"", [98]), self.file("file", file.path)))
        let fetched = try #require(server.requests.last)
        for name in ["Content-Type", "Content-Length", "Idempotency-Key"] { #expect(fetched.headers[name] == nil) }
        #expect(try daemon.json("list").transfers[0].bytesDone.integer == posted.body.count)
    }

    @Test func `snapshots of a form's files are sent as they were, and all are deleted`() throws {
        let gate = FaultGate()
        server.script("/in", .held(gate, then: .status(201)))
        let one = try daemon.makeFile("one", bytes: 300_000, seed: 1)
        let two = try daemon.makeFile("two", bytes: 300_000, seed: 2)
        let contents = [try self.file("one", one.path), try self.file("two", two.path)]
        let id = try daemon.submit("upload", "--snapshot", "-F", "f=@one,two", "--begin", "+1h", server.url("/in"))
        #expect(TestFiles.names(in: daemon.home + "/snapshots").count == 2)
        for file in [one, two] { try TestFiles.write("edited", to: file.path) }
        try daemon.killDaemon()
        #expect(try daemon.run("retry", "\(id)").isSuccess)
        let request = try server.waitForRequests("/in", count: 1)[0]
        gate.open()
        #expect(try daemon.wait(id).isSuccess)
        let sent = try #require(server.requests("/in").first)
        #expect(try sent.body == body(boundary(request), contents[0], contents[1]))
        try eventually("the copies are deleted") {
            TestFiles.names(in: daemon.home + "/snapshots").isEmpty ? true : nil
        }
    }

    /// The next daemon deletes a copy that belongs to no transfer, but not a form's second or third file.
    @Test func `no snapshot of a form is taken for nobody's`() throws {
        try daemon.startOnDemand()
        let folder = daemon.home + "/snapshots/"
        let ages = [timeval(tv_sec: 1_000_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000_000, tv_usec: 0)]
        var parts: [FormBody.Part] = []
        try TestFiles.makeDirectory(folder)
        for name in ["first", "second", "third", "stray"] {
            try TestFiles.write(name, to: folder + name)
            var status = stat()
            try #require(stat(folder + name, &status) == 0)
            let source = TransferSpec.UploadSource(path: folder + name, identity: identity(status), isSnapshot: true)
            if name != "stray" { parts.append(.init(name: "f", content: .file(source), fileName: name)) }
        }
        var spec = TransferSpec(
            direction: .form(FormBody(parts: parts)),
            url: try RequestURL(server.url("/in")),
            owner: "command"
        )
        spec.setContentTypeOfForm()
        spec.earliestBegin = Date(timeIntervalSinceNow: 3600)
        _ = try WireClient.greeted(daemon).send(SubmitTransfers(specs: [spec]))
        // Made old only now: this daemon may still be looking for orphaned copies.
        for name in TestFiles.names(in: folder) { try #require(utimes(folder + name, ages) == 0) }
        try daemon.killDaemon()
        try daemon.startOnDemand()
        try eventually("the stray copy is deleted") { TestFiles.exists(folder + "stray") ? nil : true }
        #expect(TestFiles.names(in: folder) == ["first", "second", "third"])
    }

    private func identity(_ status: stat) -> FileIdentity {
        FileIdentity(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        )
    }

    @Test func `a value is shown nowhere, and parts are`() throws {
        server.script("/in", .status(403, body: "no"))
        _ = try daemon.makeFile("photo.png", bytes: 1000)
        let words = ["upload", "-F", "password=geheim", "-F", "photo=@photo.png", server.url("/in")]
        let sent = try daemon.run(words)
        #expect(sent.code == 22)
        let shown = try daemon.run("show", "1")
        #expect(shown.output.contains("password: 6 B (the value is hidden)"))
        #expect(shown.output.contains("photo: \(daemon.path("photo.png")) as photo.png, image/png, 1000 B"))
        #expect(shown.output.contains("Content-Type: multipart/form-data; boundary=OffstageFormBoundary-"))
        var said = [sent, shown]
        for words in [["list"], ["list", "--json"], ["show", "1", "--json"], ["why", "1"]] {
            said.append(try daemon.run(words))
        }
        for result in said { #expect(!(result.output + result.errors).contains("geheim"), "\(result)") }
        let search = ["-rl", "--exclude=store.sqlite*", "geheim", daemon.home]
        #expect(try ChildProcess.run("/usr/bin/grep", search).output.isEmpty)
    }

    @Test func `a form keeps its Content-Type whatever its headers become`() throws {
        server.script("/in", .status(201))
        let id = try daemon.submit(
            "upload",
            "-F",
            "a=b",
            "--begin",
            "+1h",
            "-H",
            "Content-Type: a/b",
            server.url("/in")
        )
        #expect(try daemon.run("header", "set", "\(id)", "Content-Type: text/plain").isSuccess)
        #expect(try daemon.run("retry", "\(id)").isSuccess)
        #expect(try daemon.wait(id).isSuccess)
        let request = try #require(server.requests("/in").first)
        #expect(try request.body == body(boundary(request), ("name=\"a\"", [98])))
        #expect(request.headers.filter { $0.name.lowercased() == "content-type" }.count == 1)
    }

    @Test func `a daemon takes no form that could not be read`() throws {
        try daemon.startOnDemand()
        let client = try WireClient.greeted(daemon)
        var spec = TransferSpec(
            direction: .form(FormBody(parts: [.init(name: "a", content: .value("b"))])),
            url: try RequestURL(server.url("/in")),
            owner: "command"
        )
        #expect(throws: WireFailure.self) { try client.send(SubmitTransfers(specs: [spec])) }
        spec.direction = .form(FormBody(parts: [.init(name: "a\0", content: .value("b"))]))
        spec.setContentTypeOfForm()
        #expect(throws: WireFailure.self) { try client.send(SubmitTransfers(specs: [spec])) }
    }
}
