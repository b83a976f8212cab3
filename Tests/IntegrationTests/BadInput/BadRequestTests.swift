// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

/// Errors in the command line or the files it names: refused before anything is queued.
@Suite struct `Bad requests are refused with one sentence` {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
        server.script("/file", .status(200, body: "content"))
        server.script("/in", .status(201))
    }

    private func expectNothingQueued(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try daemon.json("list").transfers.array.isEmpty, sourceLocation: sourceLocation)
        #expect(server.requests.isEmpty, sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        ("ftp://127.0.0.1/file", "ftp"), ("file:///etc/passwd", "file"), ("127.0.0.1/file", "scheme"),
        ("http://", "host"), ("http:///file", "host"), ("http://a b/file", "URL"), ("http://[::1/file", "URL"),
        ("http://127.0.0.1:99999/file", "port"), ("http://127.0.0.1:x/file", "URL"), ("", "URL"),
        ("http://127.0.0.1/a\r\nX: y", "control"),
    ])
    func `a URL of no use`(url: String, word: String) throws {
        try TestFiles.write("x", to: daemon.path("file"))
        expectSentence(try daemon.run("download", url, "-o", "out"), code: 2, word)
        expectSentence(try daemon.run("upload", "file", url), code: 2)
        try expectNothingQueued()
        #expect(TestFiles.names(in: daemon.files) == ["file"])
    }

    @Test func `a file that is missing, a directory or no file`() throws {
        expectSentence(try daemon.run("upload", "missing", server.url("/in")), code: 1, "missing")
        expectSentence(try daemon.run("upload", "missing", server.url("/in/")), code: 1, "missing")
        try TestFiles.makeDirectory(daemon.path("folder"))
        expectSentence(try daemon.run("upload", "folder", server.url("/in")), code: 1, "directory")
        expectSentence(try daemon.run("upload", "folder", server.url("/in/")), code: 1, "folder")
        #expect(mkfifo(daemon.path("pipe"), 0o600) == 0)
        expectSentence(try daemon.run("upload", "pipe", server.url("/in")), code: 1, "regular")
        expectSentence(try daemon.run("upload", "/dev/zero", server.url("/in")), code: 1, "regular")
        try TestFiles.write("x", to: daemon.path("good"))
        expectSentence(try daemon.run("upload", "good", "missing", server.url("/in/")), code: 1, "missing")
        try expectNothingQueued()
    }

    @Test(.enabled(if: !Privileges.isRoot || Privileges.canChangeUser, "needs a user who may not read everything"))
    func `a file or directory that this user may not use`() throws {
        let other = try DaemonFixture(asNobody: Privileges.isRoot)
        defer { other.end() }
        try TestFiles.write("secret", to: other.path("locked"))
        chmod(other.path("locked"), 0)
        if Privileges.isRoot { chown(other.path("locked"), 0, 0) }
        expectSentence(try other.run("upload", "locked", server.url("/in")), code: 1, "locked", "readable")
        try TestFiles.makeDirectory(other.path("closed"))
        chmod(other.path("closed"), 0o555)
        expectSentence(
            try other.run("download", server.url("/file"), "--output-dir", "closed"),
            code: 1,
            "closed",
            "written"
        )
        #expect(try other.run("download", server.url("/file")).isSuccess)
        #expect(server.requests("/in").isEmpty)
        chmod(other.path("closed"), 0o755)
    }

    @Test func `a target that cannot be`() throws {
        expectSentence(try daemon.run("download", server.url("/file"), "-o", "no/where/out"), code: 1, "directory")
        expectSentence(try daemon.run("download", server.url("/file"), "--output-dir", "nowhere"), code: 1, "directory")
        expectSentence(try daemon.run("download", server.url("/")), "file name")
        try TestFiles.makeDirectory(daemon.path("folder"))
        expectSentence(try daemon.run("download", server.url("/file"), "-o", "folder"), code: 1, "directory")
        expectSentence(try daemon.run("download", server.url("/file"), "-o", "folder/"), "file")
        try TestFiles.write("a file", to: daemon.path("plain"))
        expectSentence(try daemon.run("download", server.url("/file"), "-o", "plain/out"), code: 1, "directory")
        expectSentence(try daemon.run("download", server.url("/file"), "-o", "/dev/full"), "/dev/full")
        expectSentence(
            try daemon.run("download", server.url("/file"), server.url("/file"), "--output-dir", "folder"),
            "two URLs"
        )
        try expectNothingQueued()
    }

    @Test func `a file that is there is replaced only when that is asked for`() throws {
        try TestFiles.write("precious", to: daemon.path("file"))
        expectSentence(try daemon.run("download", server.url("/file")), code: 1, "--force")
        #expect(try TestFiles.text(daemon.path("file")) == "precious")
        try expectNothingQueued()
        #expect(try daemon.run("download", server.url("/file"), "--force").isSuccess)
        #expect(try TestFiles.text(daemon.path("file")) == "content")
    }

    @Test func `a file that appears while it is fetched is not replaced`() throws {
        let gate = FaultGate()
        server.script("/held", .held(gate, then: .status(200, body: "content")))
        let id = try daemon.submit("download", server.url("/held"), "-o", "file")
        try server.waitForRequests("/held", count: 1)
        try TestFiles.write("precious", to: daemon.path("file"))
        gate.open()
        let result = try daemon.wait(id)
        #expect(result.code == 1, "\(result)")
        #expect(try TestFiles.text(daemon.path("file")) == "precious")
    }

    @Test(arguments: [
        ["-H", "X-A: b\r\nX-Forged: yes"], ["-H", "X-A: b\nX-Forged: yes"], ["-H", "X-A\r\n: b"], ["-H", "no colon"],
        ["-H", ": nameless"], ["-H", "bad name: x"], ["-X", "GET / HTTP/1.1\r\nX-Forged: yes\r\n"], ["-X", ""],
        ["--idempotency-key", "a\r\nX-Forged: yes"],
    ])
    func `header injection`(options: [String]) throws {
        try TestFiles.write("x", to: daemon.path("file"))
        expectSentence(try daemon.run(["upload", "file", server.url("/in")] + options), code: 2)
        try expectNothingQueued()
    }

    @Test(arguments: [
        ["--checksum", "md5:123"], ["--checksum", "sha256:xyz"], ["--limit-rate", "fast"], ["--limit-rate", "-5"],
        ["--max-time", "0"], ["--max-time", "soon"], ["--priority", "7"], ["--begin", "whenever"], ["--retry", "-1"],
        ["--cacert"], ["-o", "a", "-o", "b"],
    ])
    func `options of no use`(options: [String]) throws {
        expectSentence(try daemon.run(["download", server.url("/file")] + options), code: 2)
        try expectNothingQueued()
    }

    @Test func `a certificate file that is not there`() throws {
        expectSentence(
            try daemon.run("download", server.url("/file"), "--cacert", "no.pem"),
            code: 1,
            "no.pem",
            "--cacert"
        )
    }

    @Test func `numbers that name no transfer`() throws {
        for command in ["show", "pause", "resume", "cancel", "retry", "forget", "wait", "why"] {
            expectSentence(try daemon.run(command, "4711"), code: 4, "4711")
            // A task may have this name.
            expectSentence(try daemon.run(command, "seven"), code: command == "why" ? 4 : 2, "seven")
        }
    }

    @Test func `very long and odd names`() throws {
        let long = String(repeating: "ü", count: 200)
        expectSentence(try daemon.run("download", server.url("/file"), "-o", long), code: 1, "255")
        expectSentence(try daemon.run("upload", String(repeating: "d/", count: 3000) + "x", server.url("/in")), code: 1)
        let url = server.url("/" + String(repeating: "p", count: 100_000))
        expectSentence(try daemon.run("download", url, "-o", "out"), code: 2, "65536", "shorter")
        #expect(TestFiles.names(in: daemon.files).isEmpty)
    }
}
