// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

/// The commands against a scripted daemon; against the real one they are in the integration tests.
@Suite struct AccountCommandTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Runs a command line against a peer that knows some accounts, and also returns the accounts to add.
    private func run(
        _ words: [String],
        rows: [AccountRow] = [AccountSamples.row()],
        input: String = "",
        columns: Int = 0,
        environment: [String: String] = [:],
        keyboard: Int32 = -1,
        _ answers: [String: ScriptedPeer.Step] = [:]
    ) throws -> (CommandRun, added: [AddAccount]) {
        let added = Monitor<[AddAccount]>([])
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, payload in
            if name == Hello.name { return try ScriptedPeer.hello() }
            if name == AddAccount.name {
                let request = try WireCoding.decode(AddAccount.self, from: payload)
                added.withLock { $0.append(request) }
            }
            if let answer = answers[name] { return [answer] }
            switch name {
            case ListAccounts.name: return [try ScriptedPeer.reply(ListAccounts.Reply(rows: rows))]
            case AddAccount.name:
                return [try ScriptedPeer.reply(AddAccount.Reply(row: AccountSamples.row("work"), isNew: rows.isEmpty))]
            case RemoveAccount.name: return [try ScriptedPeer.reply(RemoveAccount.Reply(notRevoked: nil))]
            default: return [.close]
            }
        }
        let run = withExtendedLifetime(peer) {
            CommandRun(
                ["account"] + words + ["--no-start"],
                home: directory.path("h"),
                columns: columns,
                environment: environment,
                input: input,
                keyboard: keyboard
            )
        }
        return (run, added.withLock { $0 })
    }

    /// The query of the page's URL that a command prints.
    private func query(_ text: String) throws -> [String: String] {
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("  https://") })
        return URLEncodedForm.decode(String(line.drop { $0 != "?" }.dropFirst()))
    }

    @Test func `a pasted code is handed over with the verifier of the page's challenge`() throws {
        let (run, added) = try run(
            ["add", "dropbox", "--name", "work", "--app-key", "k"],
            rows: [],
            input: " the-code \n"
        )
        #expect(run.status == .success, "\(run.errors)")
        let request = try #require(added.first)
        #expect(request.code == "the-code" && request.redirectURI == nil)
        #expect(request.account.name == "work" && request.account.dropbox?.appKey == "k")
        #expect(request.account.dropbox?.endpoints == .dropbox)
        #expect(run.output.contains("\n  https://www.dropbox.com/oauth2/authorize?client_id=k&response_type=code&"))
        let query = try query(run.output)
        #expect(query["code_challenge"] == CodeChallenge(verifier: request.verifier).challenge)
        #expect(query["code_challenge_method"] == "S256" && query["token_access_type"] == "offline")
        #expect(query["scope"] == "account_info.read files.content.write files.metadata.read")
        #expect(query["redirect_uri"] == nil && query["state"] == nil)
        #expect(run.lines.last == "Signed in to Dropbox as someone@example.org; the account is called work.")
        #expect(!run.output.contains(request.verifier) && !run.output.contains("the-code"))
    }

    @Test(arguments: ["y", "Yes", "n", "", "yesterday"]) func `a person is asked whose account it is`(
        answer: String
    ) throws {
        var row = AccountSamples.row("work")
        row.account.email = "someone\u{202E}gro@example.org"
        let isYes = ["y", "Yes"].contains(answer)
        let (run, added) = try run(
            ["add", "dropbox", "--name", "work", "--app-key", "k"],
            input: answer.isEmpty ? " " : answer,
            keyboard: 0,
            [
                AddAccount.name: ScriptedPeer.reply(AddAccount.Reply(row: row, isNew: true, unconfirmed: 7)),
                ConfirmAccount.name: ScriptedPeer.reply(
                    ConfirmAccount.Reply(row: isYes ? row : nil, isNew: true)
                ),
            ]
        )
        // The scripted code doubles as the answer.
        guard !answer.isEmpty else { return #expect(run.status == .failure) }
        #expect(added.first?.asksFirst == true)
        #expect(run.errors.contains("Is this your account? [y/N]"))
        #expect(!run.errors.contains("\u{202E}"))
        #expect(run.status == (isYes ? .success : .failure))
        #expect(run.errors.contains("was not kept") == !isYes)
    }

    @Test func `nobody is asked without a person, or with --yes`() throws {
        let (script, first) = try run(["add", "dropbox"], input: "c")
        #expect(script.status == .success && first.first?.asksFirst != true)
        let (sure, second) = try run(["add", "dropbox", "--yes"], input: "c", keyboard: 0)
        #expect(sure.status == .success && second.first?.asksFirst != true)
    }

    @Test func `every sign-in has another verifier`() throws {
        var verifiers: Set<String> = []
        for _ in 0..<20 { verifiers.insert(try CodeChallenge.make().verifier) }
        #expect(verifiers.count == 20)
        for verifier in verifiers {
            #expect(verifier.utf8.count == 43 && verifier.utf8.allSatisfy(PercentEncoding.isUnreserved))
        }
    }

    @Test func `the challenge is that of the standard's example`() {
        let challenge = CodeChallenge(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk").challenge
        #expect(challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func `an account that is there is signed in to again with what is known of it`() throws {
        let (run, added) = try run(["add", "dropbox"], input: "c")
        #expect(run.status == .success)
        #expect(added.first?.account.dropbox?.appKey == "key-of-dropbox")
        #expect(run.lines.last == "Signed in to dropbox again as someone@example.org.")
        let (other, _) = try self.run(["add", "dropbox", "--name", "work"], input: "c")
        #expect(other.status == .usage)
        #expect(other.errors.contains("--app-key"))
    }

    @Test func `another sign-in keeps the certificate authorities of the server`() throws {
        var row = AccountSamples.row()
        row.account.certificateAuthorityPath = "/etc/ca.pem"
        let (_, again) = try run(["add", "dropbox"], rows: [row], input: "c")
        #expect(again.first?.account.certificateAuthorityPath == "/etc/ca.pem")
        let (_, moved) = try run(["add", "dropbox", "--api-url", "https://h.example"], rows: [row], input: "c")
        #expect(moved.count == 1 && moved.first?.account.certificateAuthorityPath == nil)
        let file = directory.path("other.pem")
        try TestFiles.write("x", to: file)
        let (_, named) = try run(["add", "dropbox", "--cacert", file], rows: [row], input: "c")
        #expect(named.first?.account.certificateAuthorityPath == file)
    }

    @Test func `a token that has ended is not shown as one that ends`() throws {
        var row = AccountSamples.row()
        row.tokenEnds = noon.addingTimeInterval(-1e9)
        let (run, _) = try run(["show", "dropbox"], rows: [row])
        #expect(
            run.lines.contains { $0.hasPrefix("Access:       renews itself; the last token expired ") },
            "\(run.output)"
        )
    }

    @Test func `an emulator has all places below its URL, and proxies and authorities go along`() throws {
        let file = directory.path("ca.pem")
        try TestFiles.write("x", to: file)
        let (run, added) = try run(
            ["add", "dropbox", "--api-url", "http://127.0.0.1:1234/", "--app-key", "k"],
            input: "c",
            environment: ["https_proxy": "http://p:1", "SSL_CERT_FILE": file]
        )
        #expect(run.output.contains("  http://127.0.0.1:1234/oauth2/authorize?"))
        #expect(added.first?.account.dropbox?.endpoints.token == "http://127.0.0.1:1234/oauth2/token")
        #expect(added.first?.account.dropbox?.endpoints.content == "http://127.0.0.1:1234/2")
        #expect(added.first?.account.proxy.https == "http://p:1")
        #expect(added.first?.account.certificateAuthorityPath == file)
        let (refused, _) = try self.run(["add", "dropbox", "--cacert", "/nowhere.pem"], input: "c")
        #expect(refused.status == .failure && refused.errors.contains("--cacert"))
    }

    @Test func `with JSON everything but the document goes to standard error`() throws {
        let (run, _) = try run(["add", "dropbox", "--json"], input: "c")
        let document = try JSONValue(parsing: run.output)
        #expect(document.keys == ["account", "isNew"])
        #expect(document.isNew.bool == false)
        #expect(run.errors.contains("https://www.dropbox.com/oauth2/authorize?"))
    }

    @Test func `without a code nothing is asked of the daemon`() throws {
        let (run, added) = try run(["add", "dropbox"])
        #expect(run.status == .failure && run.errors.contains("No code was entered"))
        #expect(added.isEmpty)
    }

    @Test func `a sign-in that ends by itself is told`() throws {
        let reply = AddAccount.Reply(row: AccountSamples.row(renewsItself: false), isNew: true)
        let answer = try ScriptedPeer.reply(reply)
        let (run, _) = try run(["add", "dropbox"], input: "c", [AddAccount.name: answer])
        #expect(run.status == .success && run.errors.contains("offline access"))
    }

    @Test func `the daemon's refusal is the command's`() throws {
        let refusal = ScriptedPeer.Step.refuse(WireFailure(.notApplicable, "Dropbox does not accept the code."))
        let (run, _) = try run(["add", "dropbox"], input: "c", [AddAccount.name: refusal])
        #expect(run.status == .failure)
        #expect(run.errors == "offstage: Dropbox does not accept the code.\n")
    }

    @Test func `a list says how each account stands`() throws {
        let rows = [
            AccountSamples.row(), AccountSamples.row("work", .needsSignIn, email: nil),
            AccountSamples.row("old", .blocked),
        ]
        let (run, _) = try run(["list"], rows: rows)
        #expect(
            run.lines == [
                "ACCOUNT  SERVICE  STATE                SIGNED IN AS",
                "dropbox  dropbox  usable               someone@example.org",
                "work     dropbox  needs a new sign-in  dbid:AAA",
                "old      dropbox  blocked              someone@example.org",
            ]
        )
        #expect(try self.run(["list", "-q"], rows: rows).0.output == "dropbox\nwork\nold\n")
        #expect(try self.run(["list"], rows: []).0.output.hasPrefix("There are no accounts;"))
        let narrow = try self.run(["list"], rows: rows, columns: 40).0
        #expect(narrow.lines.allSatisfy { DisplayWidth.of($0) <= 40 })
    }

    @Test func `everything about an account but its tokens`() throws {
        let (run, _) = try run(["show", "dropbox"])
        for line in [
            "Account:      dropbox", "Signed in:    as someone@example.org, dbid:AAA", "State:        usable",
            "App key:      key-of-dropbox", "Server:       https://api.dropboxapi.com/2",
        ] {
            #expect(run.lines.contains(line), "\(line) in \(run.output)")
        }
        #expect(run.lines.contains { $0.hasPrefix("Access:       renews itself; the current token expires ") })
        let lost = try self.run(["show", "work"], rows: [AccountSamples.row("work", .needsSignIn)]).0
        #expect(lost.lines.contains("To do:        offstage account add dropbox --name work"))
        #expect(lost.lines.contains("Reason:       It was unlinked."))
        #expect(lost.lines.contains { $0.hasPrefix("State:        needs a new sign-in, since ") })
    }

    @Test func `an account that is not there is missed, and a slip of the fingers is guessed`() throws {
        let (run, _) = try run(["show", "dropbix"])
        #expect(run.status == .notFound)
        #expect(
            run.errors
                == "offstage: There is no account 'dropbix': did you mean 'dropbox'? 'offstage account list' shows those that exist.\n"
        )
        let refusal = ScriptedPeer.Step.refuse(WireFailure(.notFound, "There is no account 'x'."))
        #expect(try self.run(["remove", "x"], [RemoveAccount.name: refusal]).0.status == .notFound)
    }

    @Test func `a removal says what is left to be done`() throws {
        #expect(try run(["remove", "dropbox"]).0.output == "Removed dropbox.\n")
        let reply = RemoveAccount.Reply(notRevoked: "Dropbox could not be told.")
        let answer = try ScriptedPeer.reply(reply)
        let (run, _) = try run(["remove", "dropbox"], [RemoveAccount.name: answer])
        #expect(run.status == .success)
        #expect(run.errors == "offstage: Dropbox could not be told.\n")
    }

    @Test func `the shapes that docs/json.md promises`() throws {
        let keys = [
            "accountID", "addedAt", "apiURL", "appKey", "email", "name", "renewsItself", "service", "state",
            "tokenEnds",
        ]
        #expect(try JSONValue(parsing: run(["list", "--json"]).0.output).accounts[0].keys == keys)
        let shown = try JSONValue(parsing: run(["show", "dropbox", "--json"]).0.output)
        #expect(shown.keys == keys && shown.state.string == "usable" && shown.service.string == "dropbox")
        let lost = try run(["show", "w", "--json"], rows: [AccountSamples.row("w", .needsSignIn)]).0
        #expect(try JSONValue(parsing: lost.output).keys.contains("reason"))
        #expect(try JSONValue(parsing: lost.output).keys.contains("since"))
        let removed = try JSONValue(parsing: run(["remove", "dropbox", "--json"]).0.output)
        #expect(removed == .object(["account": .string("dropbox"), "isRevoked": .bool(true)]))
    }
}
