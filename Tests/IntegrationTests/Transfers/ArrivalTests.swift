// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct `Transfers arrive` {
    private let daemon: DaemonFixture
    private let nginx: NginxServer

    init() throws {
        daemon = try DaemonFixture()
        nginx = try NginxServer()
    }

    @Test func `an upload arrives whole and is on record`() throws {
        let file = try daemon.makeFile("some file", bytes: 5_000_001)
        let result = try daemon.run("upload", file.path, nginx.url("in/file"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.sha256(nginx.path("in/file")) == file.sha256)
        let rows = try daemon.json("list")
        let row = rows.transfers.array.first ?? rows[0]
        #expect(row.state.string == "finished")
        #expect(row.result.string == "completed")
        #expect(row.status.integer == 201)
        #expect(row.bytesDone.integer == 5_000_001)
        #expect(row.direction.string == "upload")
        #expect(try nginx.waitForEntries("/in/file", count: 1).map(\.method) == ["PUT"])
    }

    @Test func `a download arrives whole and leaves nothing else`() throws {
        try TestFiles.makeRandom(nginx.path("file.bin"), bytes: 5_000_001, seed: 5)
        let result = try daemon.run("download", nginx.url("file.bin"))
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.sha256(daemon.path("file.bin")) == TestFiles.sha256(nginx.path("file.bin")))
        #expect(TestFiles.names(in: daemon.files) == ["file.bin"])
        let shown = try daemon.run("show", "1")
        #expect(shown.isSuccess)
        #expect(shown.output.contains("file.bin"))
    }

    @Test func `an empty file goes both ways`() throws {
        try TestFiles.write([], to: daemon.path("empty"))
        #expect(try daemon.run("upload", "empty", nginx.url("empty")).isSuccess)
        #expect(TestFiles.size(nginx.path("empty")) == 0)
        #expect(try daemon.run("download", nginx.url("empty"), "-o", "back").isSuccess)
        #expect(TestFiles.size(daemon.path("back")) == 0)
    }

    @Test func `a detached transfer is waited for`() throws {
        try TestFiles.write("content", to: nginx.path("file"))
        let id = try daemon.submit("download", nginx.url("file"))
        #expect(try daemon.wait(id).isSuccess)
        #expect(try TestFiles.text(daemon.path("file")) == "content")
        let missing = try daemon.submit("download", nginx.url("missing"))
        #expect(try daemon.wait(missing).code == 22)
        #expect(try daemon.wait(4711).code == 4)
    }

    @Test func `thousands at once are followed to the last one`() throws {
        try TestFiles.write("content", to: nginx.path("file"))
        let count = 1500
        let list = (1...count).map { "\(nginx.url("file"))\t\(daemon.path("f\($0)"))\n" }.joined()
        let result = try daemon.run(["download", "-q", "-"], input: list)
        #expect(result.isSuccess, "\(result)")
        let names = TestFiles.names(in: daemon.files)
        #expect(names.count == count)
        #expect(!names.contains { $0.hasSuffix(".part") })
    }

    @Test func `an HTTP error is a failure and its body is shown`() throws {
        let server = try FaultServer()
        defer { server.stop() }
        server.script("/gone", .status(410, body: "It was here yesterday.\n"))
        server.script("/in", .status(403, body: "Not by you.\n"))
        let fetched = try daemon.run("download", server.url("/gone"), "-o", "out")
        expectSentence(fetched, code: 22, "410")
        #expect((fetched.output + fetched.errors).contains("It was here yesterday."))
        #expect(TestFiles.names(in: daemon.files).isEmpty)
        #expect(!(try daemon.run("show", "1").output).contains("Kept in"), "nothing is kept of it")
        try TestFiles.write("x", to: daemon.path("file"))
        let sent = try daemon.run("upload", "file", server.url("/in"))
        expectSentence(sent, code: 22, "403")
        #expect((sent.output + sent.errors).contains("Not by you."))
    }

    @Test func `several files go at once`() throws {
        var sums: [String] = []
        for number in 1...5 {
            sums.append(try daemon.makeFile("f\(number)", bytes: 10_000, seed: UInt64(number)).sha256)
        }
        let sent = try daemon.run("upload", "f1", "f2", "f3", "f4", "f5", nginx.url("all/"))
        #expect(sent.isSuccess, "\(sent)")
        for number in 1...5 { #expect(try TestFiles.sha256(nginx.path("all/f\(number)")) == sums[number - 1]) }
        try TestFiles.makeDirectory(daemon.path("back"))
        let fetched = try daemon.run("download", nginx.url("all/f1"), nginx.url("all/f2"), "--output-dir", "back")
        #expect(fetched.isSuccess, "\(fetched)")
        #expect(TestFiles.names(in: daemon.path("back")) == ["f1", "f2"])
    }

    @Test func `a directory is sent with what is below it`() throws {
        try TestFiles.makeDirectory(daemon.path("tree"))
        try TestFiles.makeDirectory(daemon.path("tree/a b"))
        try TestFiles.write("1", to: daemon.path("tree/one"))
        try TestFiles.write("2", to: daemon.path("tree/a b/zwei ü"))
        let sent = try daemon.run("upload", "tree", nginx.url("in/"))
        #expect(sent.isSuccess, "\(sent)")
        let arrived = try ChildProcess.run("/usr/bin/find", [nginx.path("in"), "-type", "f"]).lines
        #expect(arrived.contains { $0.hasSuffix("/a b/zwei ü") })
        #expect(arrived.contains { $0.hasSuffix("/one") })
    }

    @Test func `TLS, HTTP 2 and a password work together`() throws {
        let certificate = try TestCertificate(in: daemon.directory.path)
        let secure = try NginxServer(.init(certificate: certificate, login: "me:geheim"))
        defer { secure.kill() }
        let file = try daemon.makeFile("file", bytes: 2_000_000)
        let options = ["--cacert", certificate.authority, "--user", "me:geheim"]
        let sent = try daemon.run(["upload", "file", secure.url("file")] + options)
        #expect(sent.isSuccess, "\(sent)")
        let fetched = try daemon.run(["download", secure.url("file"), "-o", "back"] + options)
        #expect(fetched.isSuccess, "\(fetched)")
        #expect(try TestFiles.sha256(daemon.path("back")) == file.sha256)
        #expect(try secure.entries().allSatisfy { $0.version == "HTTP/2.0" })
        expectSentence(
            try daemon.run("download", secure.url("file"), "-o", "no", "--cacert", certificate.authority),
            code: 22,
            "401"
        )
        let other = try TestCertificate(in: daemon.directory.path, name: "other")
        expectSentence(
            try daemon.run("download", secure.url("file"), "-o", "no", "--cacert", other.authority),
            "certificate"
        )
        expectSentence(try daemon.run("download", secure.url("file"), "-o", "no"), "certificate")
    }

    @Test func `method, headers and proxies reach the server`() throws {
        let server = try FaultServer()
        defer { server.stop() }
        server.script("/form", .status(200))
        server.script("http://files.example/disk", .status(200, body: "by proxy"))
        try TestFiles.write("a=1", to: daemon.path("form"))
        let sent = try daemon.run(
            "upload",
            "form",
            server.url("/form"),
            "-X",
            "POST",
            "-H",
            "Content-Type: text/x-form",
            "-H",
            "X-Empty:"
        )
        #expect(sent.isSuccess, "\(sent)")
        let request = try #require(server.requests("/form").first)
        #expect(request.method == "POST")
        #expect(request.headers["Content-Type"] == "text/x-form")
        #expect(request.body == Array("a=1".utf8))
        let fetched = try daemon.run(
            "download",
            "http://files.example/disk",
            environment: ["http_proxy": server.url("")]
        )
        #expect(fetched.isSuccess, "\(fetched)")
        #expect(try TestFiles.text(daemon.path("disk")) == "by proxy")
    }

    @Test func `a name of any letters and of the greatest length is kept`() throws {
        let long = String(repeating: "n", count: 200)
        for name in ["żółw – 亀 🐢.txt", long, "-dash", "with\"quote'"] {
            try TestFiles.write(name, to: daemon.path("source"))
            let sent = try daemon.run("upload", "source", nginx.url("name"))
            #expect(sent.isSuccess, "\(sent)")
            let fetched = try daemon.run("download", nginx.url("name"), "-o", daemon.path(name))
            #expect(fetched.isSuccess, "\(fetched)")
            #expect(try TestFiles.text(daemon.path(name)) == name)
        }
        expectSentence(
            try daemon.run("download", nginx.url("name"), "-o", String(repeating: "n", count: 256)),
            "255"
        )
    }
}
