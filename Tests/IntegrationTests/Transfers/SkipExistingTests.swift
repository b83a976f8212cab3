// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport
import Testing

/// `offstage upload --skip-existing`: against nginx, and against servers that answer differently.
@Suite struct SkipExistingTests {
    private let daemon: DaemonFixture

    init() throws {
        daemon = try DaemonFixture()
        for name in ["a", "b"] { try TestFiles.write("new \(name)", to: daemon.path(name)) }
    }

    @Test func `what is there stays, and the rest is sent`() throws {
        let nginx = try NginxServer(.init())
        #expect(try daemon.run("upload", "a", nginx.url("in/")).isSuccess)
        try TestFiles.write("changed", to: daemon.path("a"))
        let result = try daemon.run("upload", "--skip-existing", "a", "b", nginx.url("in/"))
        #expect(result.isSuccess, "\(result)")
        #expect((result.output + result.errors).contains("left out: it already exists: a →"), "\(result)")
        #expect(try TestFiles.text(nginx.path("in/a")) == "new a")
        #expect(try TestFiles.text(nginx.path("in/b")) == "new b")
        #expect(try daemon.show(2).reason.code.string == "leftOut")
        #expect(try daemon.show(2).result.string == "completed")
        #expect(try daemon.run("list").output.contains("left out"))
    }

    @Test func `a server that does not say is told of, and one that is busy is asked again`() throws {
        let server = try FaultServer()
        server.script("/in/a", .status(405))
        let result = try daemon.run("upload", "--skip-existing", "a", server.url("/in/"))
        #expect(!result.isSuccess)
        #expect((result.output + result.errors).contains("leave out --skip-existing"), "\(result)")
        server.script("/in/b", .status(503), .status(404), .status(201))
        #expect(try daemon.run("upload", "--skip-existing", "b", server.url("/in/")).isSuccess)
        #expect(server.requests.map(\.method) == ["HEAD", "HEAD", "HEAD", "PUT"])
        server.script("/login", .status(200))
        server.script("/moved/a", .redirect(to: "/login"))
        let moved = try daemon.run("upload", "--skip-existing", "a", server.url("/moved/"))
        #expect(!moved.isSuccess)
        #expect((moved.output + moved.errors).contains("use the URL that it redirects to"), "\(moved)")
        expectSentence(try daemon.run("upload", "--skip-existing", "-X", "POST", "a", server.url("/x")), code: 2)
    }

    @Test func `what an attempt that broke has left is not taken for the file`() throws {
        let server = try FaultServer()
        try TestFiles.write(String(repeating: "x", count: 500_000), to: daemon.path("big"))
        // First the file is missing; then half of it is there.
        server.script("/in/big", .status(404), .cutsUpload(after: 100_000), .status(200))
        let result = try daemon.run("upload", "--skip-existing", "big", server.url("/in/"))
        #expect(result.isSuccess, "\(result)")
        #expect(server.requests.map(\.method) == ["HEAD", "PUT", "PUT"])
        #expect(try daemon.show(1).reason.code.string == "completed")
    }
}
