// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

/// `offstage account …` as a person types it, with the real command and the real daemon, and a service to sign in to.
@Suite struct AccountSignInTests {
    private let daemon: DaemonFixture
    private let service: TokenService

    init() throws {
        daemon = try DaemonFixture()
        service = try TokenService()
    }

    private func words(_ more: String...) -> [String] {
        ["account", "add", "dropbox", "--app-key", "app-key", "--api-url", service.url, "--no-browser"] + more
    }

    /// Signs in by pasting a code, which must succeed.
    @discardableResult
    private func signIn(_ more: String..., code: String = "code-1") throws -> CommandResult {
        let result = try daemon.run(words() + more, input: code + "\n")
        guard result.isSuccess else { throw TestError("offstage account add: \(result)") }
        return result
    }

    /// The fields of the address that a sign-in prints.
    private func query(_ text: String) -> [String: String] {
        URLEncodedForm.decode(String(text.drop { $0 != "?" }.dropFirst()))
    }

    /// The challenge for a verifier according to RFC 7636.
    private func challenge(_ verifier: String) throws -> String {
        let digits = Array(try TestFiles.sha256(of: Array(verifier.utf8)))
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        let digest = Data(bytes).base64EncodedString().split(separator: "=")[0]
        return String(digest.replacing("+", with: "-").replacing("/", with: "_"))
    }

    private var key: String { daemon.home + "/accounts.key" }

    @Test func `a code that is pasted becomes an account`() throws {
        let result = try signIn()
        #expect(result.lines.last == "Signed in to Dropbox as someone@example.org; the account is called dropbox.")
        let page = try #require(result.lines.first { $0.hasPrefix("  \(service.url)/oauth2/authorize?") })
        let form = try #require(service.forms("authorization_code").first)
        #expect(query(page)["code_challenge"] == (try challenge(form["code_verifier"] ?? "")))
        #expect(query(page)["client_id"] == "app-key" && form["client_id"] == "app-key")
        #expect(query(page)["redirect_uri"] == nil && form["redirect_uri"] == nil)
        let shown = try daemon.json("account", "show", "dropbox")
        #expect(shown.state.string == "usable" && shown.renewsItself.bool == true)
        #expect(shown.email.string == "someone@example.org" && shown.accountID.string == "dbid:someone")
        #expect(try daemon.run("account", "list", "-q").lines == ["dropbox"])
        var status = stat()
        #expect(lstat(key, &status) == 0 && status.st_mode & 0o7777 == 0o600 && status.st_size == 32)
    }

    @Test func `a code that the browser brings becomes an account`() throws {
        let command = try daemon.start(words("--port", "0", "--name", "work"))
        let page = try command.line { $0.hasPrefix("  \(service.url)/oauth2/authorize?") ? $0 : nil }
        let fields = query(page)
        let uri = try #require(fields["redirect_uri"])
        let state = try #require(fields["state"])
        let wrong = try ChildProcess.run(
            "/usr/bin/curl",
            ["-s", "-o", "/dev/null", "-w", "%{http_code}", uri + "?code=evil&state=x"]
        )
        #expect(wrong.output == "400")
        let right = try ChildProcess.run("/usr/bin/curl", ["-s", uri + "?code=code-1&state=\(state)"])
        #expect(right.output.contains("You may close this window."))
        let result = try command.result(within: 20)
        #expect(result.isSuccess, "\(result)")
        let form = try #require(service.forms("authorization_code").first)
        #expect(service.forms("authorization_code").count == 1)
        #expect(form["redirect_uri"] == uri && form["code"] == "code-1")
        #expect(fields["code_challenge"] == (try challenge(form["code_verifier"] ?? "")))
        #expect(try daemon.run("account", "list", "-q").lines == ["work"])
    }

    @Test func `a browser that says no ends the sign-in, and so does Ctrl-C`() throws {
        let command = try daemon.start(words("--port", "0"))
        let page = try command.line { $0.hasPrefix("  \(service.url)") ? $0 : nil }
        let uri = try #require(query(page)["redirect_uri"])
        let state = try #require(query(page)["state"])
        _ = try ChildProcess.run("/usr/bin/curl", ["-s", uri + "?error=access_denied&state=\(state)"])
        expectSentence(try command.result(within: 20), code: 1, "access_denied")
        let waiting = try daemon.start(words("--port", "0"))
        _ = try waiting.line { $0.hasPrefix("Allow the app there") ? true : nil }
        waiting.kill(SIGINT)
        #expect(try waiting.result(within: 20).code == 130)
        #expect(service.forms("authorization_code").isEmpty)
    }

    @Test func `an account outlives a daemon that is killed`() throws {
        try signIn()
        try daemon.killDaemon()
        let shown = try daemon.json("account", "show", "dropbox")
        #expect(shown.state.string == "usable")
        #expect(service.server.requests("/oauth2/token").count == 1)
    }

    @Test func `a removed account is withdrawn, and nothing of it is left`() throws {
        try signIn()
        #expect(try daemon.run("account", "remove", "dropbox").output == "Removed dropbox.\n")
        #expect(service.accessTokens.isEmpty && service.refreshTokens.isEmpty)
        #expect(try daemon.json("account", "list").accounts.array.isEmpty)
        try daemon.killDaemon()
        #expect(try daemon.json("account", "list").accounts.array.isEmpty)
        expectSentence(try daemon.run("account", "remove", "dropbox"), code: 4, "dropbox")
    }

    @Test func `an account is removed although the service is gone`() throws {
        try signIn()
        service.server.stop()
        let result = try daemon.run("account", "remove", "dropbox")
        #expect(result.isSuccess && result.errors.contains("Connected apps"), "\(result)")
        #expect(try daemon.json("account", "list").accounts.array.isEmpty)
    }

    @Test func `a daemon that is stopped while a token is got costs an upload no attempt`() throws {
        // So short that every upload renews its token.
        service.change { $0.lifetime = 200 }
        try signIn()
        let gate = FaultGate()
        service.change { $0.gate = gate }
        try TestFiles.write("x", to: daemon.path("a"))
        let id = try daemon.submit("upload", "--retry", "0", "a", "dropbox:/a")
        try service.server.waitForRequests("/oauth2/token", count: 2)
        #expect(try daemon.run("daemon", "stop").isSuccess)
        try daemon.startOnDemand()
        try service.server.waitForRequests("/oauth2/token", count: 3)
        #expect(try daemon.show(id).state.string == "running")
        gate.open()
    }

    @Test func `a lost key costs a new sign-in and nothing else`() throws {
        try signIn()
        let daemonBefore = try daemon.daemon()
        try daemon.killDaemon()
        unlink(key)
        let shown = try daemon.json("account", "show", "dropbox")
        #expect(shown.state.string == "needsSignIn")
        #expect(shown.reason.string?.contains("key file for its tokens is gone") == true)
        let doctor = try daemon.run("doctor")
        for part in [
            "FAIL  account 'dropbox'", "key file for its tokens is gone", "→ offstage account add dropbox",
        ] {
            #expect(doctor.output.contains(part), "\(doctor)")
        }
        service.change { $0.codes = ["code-2"] }
        // Neither the key nor the URL need be given again.
        let again = try daemon.run(["account", "add", "dropbox", "--no-browser"], input: "code-2\n")
        #expect(again.lines.last == "Signed in to dropbox again as someone@example.org.", "\(again)")
        #expect(try daemon.json("account", "show", "dropbox").state.string == "usable")
        #expect(try daemon.run("doctor").output.contains("usable: 'dropbox'"))
        withExtendedLifetime(daemonBefore) {}
    }

    @Test func `a key that others may read is refused with a sentence`() throws {
        try signIn()
        try daemon.killDaemon()
        #expect(chmod(key, 0o644) == 0)
        let shown = try daemon.json("account", "show", "dropbox")
        #expect(shown.state.string == "blocked")
        #expect(shown.reason.string?.contains("mode is 0644") == true)
        service.change { $0.codes = ["code-2"] }
        let refused = try daemon.run(words("--name", "work"), input: "code-2\n")
        expectSentence(refused, code: 3, key, "0600")
        #expect(try daemon.run("account", "list", "-q").lines == ["dropbox"])
    }

    @Test(arguments: [33, 5, 0]) func `a key that is none does no harm`(length: Int) throws {
        try signIn()
        try daemon.killDaemon()
        try TestFiles.write([UInt8](repeating: 1, count: length), to: key, mode: 0o600)
        #expect(try daemon.json("account", "show", "dropbox").state.string == "needsSignIn")
        #expect(try daemon.run("daemon", "status").isSuccess)
    }

    @Test func `a code that is not accepted is one sentence`() throws {
        let result = try daemon.run(words(), input: "wrong\n")
        expectSentence(result, code: 1, "does not accept the code")
        #expect(try daemon.json("account", "list").accounts.array.isEmpty)
        service.server.stop()
        expectSentence(try daemon.run(words(), input: "code-1\n"), code: 1, "cannot connect to")
    }

    @Test func `no token is said or written anywhere`() throws {
        var said: [String] = []
        func run(_ arguments: [String], input: String = "") throws {
            let result = try daemon.run(arguments, input: input)
            said += [result.output, result.errors]
        }
        service.change { $0.codes = ["code-1", "code-2"] }
        try run(words(), input: "code-1\n")
        try run(words("--name", "work", "--json"), input: "code-2\n")
        try run(words("--name", "third"), input: "wrong\n")
        // A server that echoes its request.
        let echo = #"{"error": "SECRET-refresh-1 sl.SECRET-access-1"}"#
        service.change { $0.troubles = [.status(400, body: echo), .status(500, body: echo), .status(200, body: echo)] }
        for _ in 0..<3 { try run(words("--name", "third"), input: "code-3\n") }
        for command in ["list", "show dropbox", "show work", "list --json", "show work --json"] {
            try run(["account"] + command.split(separator: " ").map(String.init))
        }
        for command in ["daemon status", "daemon log", "doctor", "list --json", "why"] {
            try run(command.split(separator: " ").map(String.init))
        }
        try daemon.killDaemon()
        unlink(key)
        try run(["account", "list"])
        try run(["account", "remove", "work"])
        said.append(daemon.log)
        #expect(said.count > 30 && !daemon.log.isEmpty)
        for text in said { #expect(!text.contains("SECRET"), "\(text)") }
        #expect(!daemon.log.contains("code-1"))
        let mark = Array("SECRET".utf8)
        for name in TestFiles.names(in: daemon.home) where !name.hasPrefix("run") {
            guard let bytes = try? TestFiles.read(daemon.home + "/" + name) else { continue }
            #expect(!bytes.indices.contains { bytes[$0] == mark[0] && bytes[$0...].starts(with: mark) }, "\(name)")
        }
    }
}
