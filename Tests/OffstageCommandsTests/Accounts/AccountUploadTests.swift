// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

/// `offstage upload … dropbox:/path` up to what reaches the daemon.
@Suite struct AccountUploadTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["d", "d/sub"] { try TestFiles.makeDirectory(directory.path(name)) }
        try TestFiles.write("1", to: directory.path("a b.txt"))
        try TestFiles.write("22", to: directory.path("d/sub/ü?#%"))
    }

    private func upload(
        _ words: [String],
        rows: [AccountRow] = [AccountSamples.row()],
        input: String = ""
    ) throws -> (run: CommandRun, specs: [TransferSpec], requests: [String]) {
        let specs = Monitor<[TransferSpec]>([])
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, payload in
            if name == Hello.name { return try ScriptedPeer.hello() }
            if name == ListAccounts.name { return [try ScriptedPeer.reply(ListAccounts.Reply(rows: rows))] }
            let request = try WireCoding.decode(SubmitTransfers.self, from: payload)
            specs.withLock { $0 += request.specs }
            return [
                try ScriptedPeer.reply(
                    SubmitTransfers.Reply(ids: request.specs.indices.map { .init(rawValue: Int64($0 + 1)) })
                )
            ]
        }
        let run = withExtendedLifetime(peer) {
            CommandRun(
                ["upload", "--detach"] + words,
                home: directory.path("h"),
                directory: directory.path,
                input: input
            )
        }
        return (run, specs.withLock { $0 }, peer.requests)
    }

    private func parameters(_ spec: TransferSpec?) throws -> DropboxParameters {
        try DropboxParameters(try #require(spec?.dialect))
    }

    @Test(arguments: [
        ("dropbox:/a", "dropbox", "/a"), ("work:/a/", "work", "/a/"), ("my.box-2:/", "my.box-2", "/"),
        ("dropbox:/a://b", "dropbox", "/a://b"),
    ])
    func `a name and a path behind a colon are a place in an account`(text: String, account: String, path: String) {
        #expect(AccountTarget(text) == AccountTarget(account: account, path: path))
    }

    @Test(arguments: [
        "https://h/a", "dropbox://a", "/tmp/a", "a", "dropbox:a", "dropbox:", ":/a", "-x:/a", "http:/a", "a b:/c", "",
    ])
    func `anything else is not`(text: String) { #expect(AccountTarget(text) == nil) }

    @Test func `a file goes to its place in the account, and Dropbox is told when it was changed`() throws {
        let (run, specs, requests) = try upload(["a b.txt", "dropbox:/Photos/ä b.txt"])
        #expect(run.status == .success, "\(run.errors)")
        #expect(requests.filter { $0 != Hello.name } == [ListAccounts.name, SubmitTransfers.name])
        let spec = try #require(specs.first)
        let asked = try parameters(spec)
        #expect((asked.account, asked.path) == ("dropbox", "/Photos/ä b.txt"))
        #expect(asked.mode == .add && !asked.autorename && !asked.mute && !asked.strictConflict)
        #expect(asked.clientModified != nil)
        #expect(spec.destination == "dropbox:/Photos/ä b.txt")
        #expect(spec.method == "POST" && spec.headers.isEmpty && spec.idempotencyKey == nil)
        #expect(spec.url.unredacted == DropboxEndpoints.dropbox.content + "/files/upload")
    }

    @Test func `options say what becomes of what is there`() throws {
        let (run, specs, _) = try upload([
            "--mode", "update=0123456789abc", "--autorename", "--mute", "--strict-conflict", "--limit-rate", "1k",
            "--label", "mine", "a b.txt", "dropbox:/a",
        ])
        #expect(run.status == .success, "\(run.errors)")
        let asked = try parameters(specs.first)
        #expect(asked.mode == .update(revision: "0123456789abc"))
        #expect(asked.autorename && asked.mute && asked.strictConflict)
        #expect(specs.first?.rateLimit == 1024 && specs.first?.label == "mine")
    }

    @Test func `a folder gets names, and a directory's files go below it as they are`() throws {
        let (run, specs, _) = try upload(["a b.txt", "d", "work:/In box/"], rows: [AccountSamples.row("work")])
        #expect(run.status == .success, "\(run.errors)")
        #expect(try specs.map { try parameters($0).path } == ["/In box/a b.txt", "/In box/sub/ü?#%"])
    }

    @Test func `a list may name places and URLs`() throws {
        let (run, specs, _) = try upload(["-"], input: "a b.txt\tdropbox:/x\na b.txt\thttps://h/y\n")
        #expect(run.status == .success, "\(run.errors)")
        #expect(specs.map(\.destination) == ["dropbox:/x", "https://h/y"])
        #expect(specs.map { $0.dialect == nil } == [false, true])
    }

    @Test func `a snapshot is sent in its place`() throws {
        let (run, specs, _) = try upload(["--snapshot", "a b.txt", "dropbox:/a"])
        #expect(run.status == .success, "\(run.errors)")
        #expect(specs.first?.sources.first?.isSnapshot == true)
        #expect(try parameters(specs.first).path == "/a")
    }

    @Test(arguments: [
        ["-X", "PUT"], ["-H", "A: b"], ["-u", "a:b"], ["--idempotency-key", "k"], ["--no-idempotency-key"],
        ["--any-status"],
    ])
    func `options of requests are refused`(option: [String]) throws {
        let (run, specs, requests) = try upload(option + ["a b.txt", "dropbox:/a"])
        #expect(run.status == .usage && specs.isEmpty && requests.isEmpty)
        #expect(run.errors.contains("\(option[0]) cannot be used with dropbox:/a"), "\(run.errors)")
    }

    @Test func `an upload may wait for its account`() throws {
        let (run, specs, _) = try upload(["--wait-for-credentials", "a b.txt", "dropbox:/a"])
        #expect(run.status == .success, "\(run.errors)")
        #expect(specs.first?.unauthorizedPolicy == .waitForCredentials)
    }

    @Test func `a form is refused`() throws {
        let (run, _, requests) = try upload(["-F", "a=b", "dropbox:/a"])
        #expect(run.status == .usage && requests.isEmpty)
        #expect(run.errors.contains("-F cannot be used with dropbox:/a"), "\(run.errors)")
    }

    @Test(arguments: [["--mode", "overwrite"], ["--autorename"], ["--mute"], ["--strict-conflict"]])
    func `options of accounts are refused with a URL`(option: [String]) throws {
        let (run, _, requests) = try upload(option + ["a b.txt", "https://h/a"])
        #expect(run.status == .usage && requests.isEmpty)
        #expect(run.errors.contains("\(option[0]) is for an upload to an account"), "\(run.errors)")
    }

    @Test(arguments: [
        (["--mode", "replace", "a b.txt", "dropbox:/a"], "add, overwrite or update=REV"),
        (["--mode", "update=XYZ", "a b.txt", "dropbox:/a"], "'XYZ' is not a revision"),
        (["a b.txt", "d/sub/ü?#%", "dropbox:/a"], "end it with /"),
        (["dropbox:/a", "a b.txt"], "comes last"), (["dropbox:/a"], "name a file before 'dropbox:/a'"),
    ])
    func `what makes no sense is refused with a sentence`(words: [String], sentence: String) throws {
        let (run, specs, _) = try upload(words)
        #expect(run.status == .usage && specs.isEmpty)
        #expect(run.errors.contains(sentence), "\(run.errors)")
    }

    @Test func `an account that is not there is refused with the way to sign in`() throws {
        let (run, specs, _) = try upload(["a b.txt", "dropbox:/a"], rows: [])
        #expect(run.status == .notFound && specs.isEmpty)
        #expect(run.errors.contains("There is no account 'dropbox': 'offstage account add dropbox' signs in to one."))
        let (other, _, _) = try upload(["--snapshot", "a b.txt", "wrok:/a"], rows: [AccountSamples.row("work")])
        #expect(other.errors.contains("did you mean 'work'?"))
        #expect(other.errors.contains("'offstage account add dropbox --name wrok'"))
        #expect(TestFiles.names(in: directory.path("h/snapshots")).isEmpty, "nothing was copied for it")
    }

    @Test func `an account that wants a person is refused with what to do`() throws {
        let rows = [AccountSamples.row("dropbox", .needsSignIn)]
        let (run, specs, _) = try upload(["a b.txt", "dropbox:/a"], rows: rows)
        #expect(run.status == .failure && specs.isEmpty)
        let advice = "It was unlinked. Sign in again with 'offstage account add dropbox'."
        #expect(run.errors.contains(advice), "\(run.errors)")
    }
}
