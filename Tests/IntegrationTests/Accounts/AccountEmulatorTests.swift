// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Accounts against the emulator, which is as strict with a sign-in as Dropbox is.
@Suite struct AccountEmulatorTests {
    private let daemon: DaemonFixture
    private let dropbox: DropboxEmulatorServer
    private let fifo: String

    init() throws {
        // With this variable set, a command reads a person's typed input from its path.
        let script = #"if [ -n "$TYPED" ]; then exec "$@" <"$TYPED"; else exec "$@"; fi"#
        daemon = try DaemonFixture(prefix: ["/bin/sh", "-c", script, "sh"])
        dropbox = try DropboxEmulatorServer()
        fifo = daemon.path("typed")
        guard mkfifo(fifo, 0o600) == 0 else { throw TestError.system("No pipe can be made") }
    }

    private func words(_ more: String...) -> [String] {
        ["account", "add", "dropbox", "--app-key", "app-key", "--api-url", dropbox.address, "--no-browser"] + more
    }

    private func page(_ command: ChildProcess) throws -> String {
        try command.line { $0.hasPrefix("  http") ? String($0.dropFirst(2)) : nil }
    }

    /// Signs in like a person with a browser.
    private func signIn(_ name: String = "dropbox") throws {
        let command = try daemon.start(words("--port", "0", "--name", name))
        let answer = try ChildProcess.run("/usr/bin/curl", ["-sL", try page(command)])
        guard answer.output.contains("You may close this window.") else { throw TestError("The page: \(answer)") }
        let result = try command.result(within: 20)
        guard result.isSuccess else { throw TestError("offstage account add: \(result)") }
    }

    /// Hands a file over for the account and returns the transfer's number.
    private func upload(
        _ path: String,
        account: String = "dropbox",
        server: String? = nil
    ) throws -> Int {
        let file = daemon.path("file-\(path.dropFirst())")
        try TestFiles.makeRandom(file, bytes: 10_000, seed: 1)
        var status = stat()
        guard stat(file, &status) == 0 else { throw TestError.system("The file is not there") }
        let modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        let identity = FileIdentity(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: modified
        )
        let endpoints = try DropboxEndpoints(below: server ?? dropbox.address)
        let parameters = DropboxParameters(account: account, path: path, endpoints: endpoints)
        var spec = TransferSpec(
            direction: .upload(.init(path: file, identity: identity)),
            url: try parameters.url(),
            owner: "command"
        )
        spec.dialect = try parameters.dialectSpec()
        let ids = try WireClient.greeted(daemon).send(SubmitTransfers(specs: [spec])).ids
        return Int(try #require(ids.first).rawValue)
    }

    @Test func `a sign-in by the browser is one that Dropbox takes`() throws {
        try signIn()
        #expect(dropbox.record.tokensForCodes == 1)
        let shown = try daemon.json("account", "show", "dropbox")
        #expect(shown.state.string == "usable" && shown.renewsItself.bool == true)
        #expect(shown.email.string?.contains("@") == true && shown.accountID.string?.hasPrefix("dbid:") == true)
    }

    @Test func `a sign-in by a pasted code is one that Dropbox takes`() throws {
        let command = try daemon.start(words(), environment: ["TYPED": fifo])
        let keys = open(fifo, O_WRONLY | O_CLOEXEC)
        defer { close(keys) }
        let answer = try ChildProcess.run("/usr/bin/curl", ["-s", try page(command)])
        let start = try #require(answer.output.firstRange(of: #"id="auth-code">"#))
        let code = answer.output[start.upperBound...].prefix { $0 != "<" }
        // As it is copied from a page, with white space around it.
        let typed = Array("  \(code) \r\n".utf8)
        #expect(write(keys, typed, typed.count) == typed.count)
        let result = try command.result(within: 20)
        #expect(result.isSuccess, "\(result)")
        #expect(dropbox.record.tokensForCodes == 1)
        #expect(try daemon.json("account", "show", "dropbox").state.string == "usable")
    }

    @Test func `a person who says no ends the sign-in`() throws {
        dropbox.setRules { $0.deniesAuthorization = true }
        let command = try daemon.start(words("--port", "0"))
        _ = try ChildProcess.run("/usr/bin/curl", ["-sL", try page(command)])
        expectSentence(try command.result(within: 20), code: 1, "access_denied")
    }

    @Test func `uploads whose token has expired share one renewal`() throws {
        try signIn()
        dropbox.advance(15_000)
        let ids = try (1...12).map { try upload("/file-\($0)") }
        for id in ids { #expect(try daemon.wait(id).isSuccess) }
        #expect(dropbox.files.count == 12)
        #expect(dropbox.record.tokenRefreshes == 1)
    }

    @Test func `a withdrawn sign-in fails uploads with a sentence, and a new one takes them up`() throws {
        // So short that every upload renews its token.
        dropbox.setRules { $0.tokenLifetime = 200 }
        try signIn()
        dropbox.reset()
        let id = try upload("/late")
        #expect(!(try daemon.wait(id).isSuccess))
        let reason = try daemon.show(id).reason
        #expect(reason.failure.string == "accountUnusable")
        #expect(reason.summary.string?.contains("no longer accepts it") == true, "\(reason)")
        #expect(try daemon.json("account", "show", "dropbox").state.string == "needsSignIn")
        try signIn()
        try daemon.run("retry", "\(id)")
        #expect(try daemon.wait(id).isSuccess)
        #expect(dropbox.files.map(\.displayPath) == ["/late"])
    }

    @Test func `a removed account is withdrawn at Dropbox, and takes no more files`() throws {
        try signIn()
        let removed = try daemon.run("account", "remove", "dropbox")
        #expect(removed.isSuccess && removed.errors.isEmpty, "\(removed)")
        #expect(dropbox.record.calls(.revoke) == 1 && dropbox.record.answers(.revoke, 200) == 1)
        let error = #expect(throws: WireFailure.self) { try upload("/late") }
        #expect(error?.message.contains("There is no account 'dropbox'") == true)
    }

    @Test func `an account's token goes to its own server alone`() throws {
        try signIn()
        let other = try FaultServer()
        let error = #expect(throws: WireFailure.self) { try upload("/stolen", server: other.url("")) }
        #expect(error?.message.contains("would not go to the account 'dropbox'") == true)
        #expect(other.connections == 0)
    }
}
