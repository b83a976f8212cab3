// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct `Credentials are given, kept and never shown` {
    private let daemon: DaemonFixture
    private let server: FaultServer
    private static let secret = "Bearer s3cr3t-t0ken-x9"

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
        server.script("/file", .protected(Self.secret, then: .status(200, body: "content")))
    }

    @Test func `a 401 parks the transfer until new headers are set`() throws {
        let id = try daemon.submit("download", server.url("/file"), "--wait-for-credentials")
        let row = try daemon.watch(id, for: "a wait for credentials") { $0.kind == .waiting }
        #expect(row.reason.cause == .credentials(host: "127.0.0.1"))
        #expect(try daemon.run("why", "\(id)").output.contains("offstage header set \(id)"))
        try daemon.killDaemon()
        try daemon.startOnDemand()
        #expect(try daemon.detail(id).row.reason.cause == .credentials(host: "127.0.0.1"))
        #expect(server.requests.count == 1)
        #expect(try daemon.run("header", "set", "\(id)", "Authorization: wrong").isSuccess)
        try server.waitForRequests("/file", count: 2)
        try daemon.watch(id, for: "a wait for credentials") { $0.kind == .waiting }
        #expect(try daemon.run("header", "set", "\(id)", "Authorization: \(Self.secret)").isSuccess)
        #expect(try daemon.wait(id).isSuccess)
        #expect(try TestFiles.text(daemon.path("file")) == "content")
        #expect(server.requests.count == 3)
    }

    @Test func `without that wish a 401 is the end`() throws {
        expectSentence(try daemon.run("download", server.url("/file")), code: 22, "401")
        #expect(server.requests.count == 1)
    }

    @Test func `the credential helper is asked and its headers are used`() throws {
        try TestFiles.write(
            """
            #!/bin/sh
            echo "$OFFSTAGE_HOST" >> \(daemon.path("asked"))
            echo 'Authorization: \(Self.secret)'
            """,
            to: daemon.path("helper")
        )
        try daemon.settings(#"{"credentialHelper": "/bin/sh \#(daemon.path("helper"))"}"#)
        let id = try daemon.submit("download", server.url("/file"), "--wait-for-credentials")
        let result = try daemon.wait(id, within: 20)
        #expect(result.isSuccess, "\(result)")
        #expect(try TestFiles.text(daemon.path("asked")) == "127.0.0.1\n")
    }

    @Test func `a helper that fails leaves the transfer waiting`() throws {
        try daemon.settings(#"{"credentialHelper": "echo asked >> \#(daemon.path("asked")); exit 1"}"#)
        let id = try daemon.submit("download", server.url("/file"), "--wait-for-credentials")
        try eventually("the helper is asked") { TestFiles.exists(daemon.path("asked")) ? true : nil }
        try daemon.watch(id, for: "a wait for credentials") { $0.kind == .waiting }
        #expect(try daemon.run("header", "set", "\(id)", "Authorization: \(Self.secret)").isSuccess)
        #expect(try daemon.wait(id).isSuccess)
    }

    @Test func `what a helper prints before it fails is not used`() throws {
        try daemon.settings(#"{"credentialHelper": "echo 'Authorization: \#(Self.secret)'; exit 3"}"#)
        let id = try daemon.submit("download", server.url("/file"), "--wait-for-credentials")
        try eventually("the helper has failed") {
            daemon.log.contains("the credential helper failed: its answer is not used") ? true : nil
        }
        try daemon.watch(id, for: "a wait for credentials") { $0.kind == .waiting }
        #expect(server.requests.count == 1)
    }

    @Test func `a user and password are sent, and a wrong one is refused`() throws {
        let nginx = try NginxServer(.init(login: "me:geheim"))
        defer { nginx.kill() }
        try TestFiles.write("content", to: nginx.path("file"))
        #expect(try daemon.run("download", nginx.url("file"), "--user", "me:geheim").isSuccess)
        expectSentence(
            try daemon.run("download", nginx.url("file"), "-o", "x", "--user", "me:falsch"),
            code: 22,
            "401"
        )
    }

    @Test func `credentials stay with their host when a redirect leaves it`() throws {
        let other = try FaultServer()
        defer { other.stop() }
        other.script("/there", .status(200, body: "content"))
        server.script("/away", .redirect(to: other.url("/there")))
        server.script("/near", .redirect(to: "/here"))
        server.script("/here", .status(200, body: "content"))
        for (path, name) in [("/away", "away"), ("/near", "near")] {
            let result = try daemon.run(
                "download",
                server.url(path),
                "-o",
                name,
                "-H",
                "Authorization: \(Self.secret)",
                "-H",
                "Cookie: id=\(Self.secret)",
                "-H",
                "X-Api-Key: \(Self.secret)",
                "-H",
                "X-Plain: yes"
            )
            #expect(result.isSuccess, "\(result)")
        }
        let far = try #require(other.requests.first)
        #expect(!far.headers.contains { $0.value.contains("s3cr3t") }, "\(far.headers)")
        let near = try #require(server.requests("/here").first)
        #expect(near.headers["Authorization"] == Self.secret)

        server.script("/login", .redirect(to: other.url("/there")))
        #expect(try daemon.run("download", server.url("/login"), "-o", "l", "--user", "me:s3cr3t").isSuccess)
        #expect(other.requests.last?.headers["Authorization"] == nil)
        #expect(server.requests("/login").last?.headers["Authorization"]?.hasPrefix("Basic ") == true)
    }

    @Test func `no output, log or file that others may read holds a secret`() throws {
        server.script("/busy", .status(500, body: "no"))
        let query = "?X-Signature=s3cr3t-query"
        let withUser = server.url("/file" + query).replacing("http://", with: "http://me:s3cr3t-url@")
        let common = [
            "-H", "Authorization: \(Self.secret)", "-H", "X-Auth-Token: s3cr3t-header", "--user", "u:s3cr3t-user",
        ]
        var printed = ""
        func note(_ result: CommandResult) { printed += result.output + result.errors }
        note(try daemon.run(["download", withUser, "-o", "one"] + common))
        note(try daemon.run(["download", server.url("/busy" + query), "-o", "two", "--retry", "1"] + common))
        note(try daemon.run(["download", "http://127.0.0.1:9/x" + query, "-o", "three", "--retry", "1"] + common))
        let id = try daemon.submit("download", server.url("/file" + query), "-o", "four", "--wait-for-credentials")
        try daemon.watch(id, for: "a wait for credentials") { $0.kind == .waiting }
        for arguments in [
            ["list"], ["list", "--json"], ["show", "1-4"], ["show", "1-4", "--json"], ["why"], ["why", "--json"],
            ["daemon", "status"], ["daemon", "log"], ["doctor"], ["wait", "1"], ["wait", "2"],
        ] {
            note(try daemon.run(arguments))
        }
        note(try daemon.run("header", "set", "\(id)", "Authorization: \(Self.secret)"))
        note(try daemon.wait(id))
        printed += daemon.log
        #expect(printed.contains("/file"), "the outputs are there")
        #expect(!printed.contains("s3cr3t"), "\(printed.split(separator: "\n").filter { $0.contains("s3cr3t") })")
    }

    @Test func `no process shows a secret among its arguments`() throws {
        let gate = FaultGate()
        server.script("/held", .held(gate, then: .status(200)))
        let id = try daemon.submit("download", server.url("/held"), "-H", "Authorization: \(Self.secret)")
        try server.waitForRequests("/held", count: 1)
        let process = try daemon.daemon().processID
        #expect(try !TestFiles.text("/proc/\(process)/cmdline").contains("s3cr3t"))
        gate.open()
        #expect(try daemon.wait(id).isSuccess)
    }
}
