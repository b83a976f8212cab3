// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

@Suite struct UploadTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["d", "d/sub"] { try TestFiles.makeDirectory(directory.path(name)) }
        try TestFiles.write("1", to: directory.path("a b.txt"))
        try TestFiles.write("22", to: directory.path("d/sub/ü"))
        try TestFiles.write("333", to: directory.path("d/c"))
    }

    /// Runs `offstage upload … --detach` and returns what reached the daemon.
    private func upload(
        _ words: [String],
        environment: [String: String] = [:],
        input: String = ""
    ) throws -> (run: CommandRun, specs: [TransferSpec]) {
        let upload = try RecordedUpload(words, directory: directory, environment: environment, input: input)
        return (upload.run, upload.specs)
    }

    @Test func `a name that begins with a mark stays in its folder`() {
        #expect(UploadTarget.appending("sub/\u{301}x", to: "https://h/in/") == "https://h/in/sub/%CC%81x")
    }

    @Test func `a file goes to its URL with the command's defaults`() throws {
        let (run, specs) = try upload(["a b.txt", "https://files.example/x?sig=1"])
        #expect(run.status == .success)
        #expect(run.output == "1\n")
        let spec = try #require(specs.first)
        #expect(spec.url.unredacted == "https://files.example/x?sig=1")
        #expect(spec.method == "PUT")
        #expect(spec.path == directory.path("a b.txt"))
        #expect(spec.owner == "command")
        #expect(spec.statusPolicy == .retryTransientAndFailOnError)
        #expect(spec.unauthorizedPolicy == .finish)
        #expect(spec.maximumAttemptsBeforeFirstAnswer == nil, "a server that is not up yet loses no job")
        #expect(spec.maximumRetries == nil)
        #expect(spec.idempotencyKey == nil)
        #expect(spec.idleTimeout == 60)
        #expect(spec.overallTimeout == 604_800)
    }

    @Test func `every option reaches the daemon`() throws {
        try TestFiles.write("X-One: 1\r\n\nX-Two: 2\n", to: directory.path("headers"))
        try TestFiles.write("pem", to: directory.path("ca.pem"))
        let (run, specs) = try upload([
            "-X", "POST", "-H", "A: b", "-H", "@headers", "-u", "me:pass:word", "--limit-rate", "2k", "-m", "1h",
            "--connect-timeout", "3", "-y", "20", "--retry", "4", "--cacert", "ca.pem", "--priority", "high", "--label",
            "mine",
            "--begin", "+1h", "--on-done", "echo done", "--wait-for-credentials", "--any-status", "--idempotency-key",
            "k1",
            "a b.txt", "http://h/in/",
        ])
        #expect(run.status == .success, "\(run.errors)")
        let spec = try #require(specs.first)
        #expect(spec.url.unredacted == "http://h/in/a%20b.txt")
        #expect(spec.method == "POST")
        #expect(spec.headers.map { "\($0.name)=\($0.value)" } == ["A=b", "X-One=1", "X-Two=2"])
        #expect(spec.credentials == .init(user: "me", password: "pass:word"))
        #expect(spec.rateLimit == 2048)
        #expect(spec.overallTimeout == 3600)
        #expect(spec.connectTimeout == 3)
        #expect(spec.idleTimeout == 20)
        #expect(spec.maximumRetries == 4)
        #expect(spec.certificateAuthorityPath == directory.path("ca.pem"))
        #expect(spec.priority == 0.75)
        #expect(spec.label == "mine")
        #expect(spec.earliestBegin == noon.addingTimeInterval(3600))
        #expect(spec.completionCommand == .init(command: "echo done", workingDirectory: directory.path))
        #expect(spec.unauthorizedPolicy == .waitForCredentials)
        #expect(spec.statusPolicy == .everyResponseIsFinal)
        #expect(spec.idempotencyKey == "k1")
    }

    @Test(arguments: ["POST", "PATCH"])
    func `a request that is not idempotent gets a key unless it has one`(method: String) throws {
        let made = try upload(["-X", method, "a b.txt", "http://h/x"]).specs[0].idempotencyKey
        #expect(made?.count == 36)
        #expect(
            try upload(["-X", method, "--no-idempotency-key", "a b.txt", "http://h/x"]).specs[0].idempotencyKey == nil
        )
        #expect(
            try upload(["-X", method, "-H", "idempotency-key: 1", "a b.txt", "http://h/x"]).specs[0].idempotencyKey
                == nil
        )
    }

    @Test func `what the machine has to be like is handed over`() throws {
        func needs(_ words: String...) throws -> TransferNeeds {
            try #require(try upload(words + ["a b.txt", "http://h/x"]).specs.first).needs
        }
        #expect(try needs() == [])
        #expect(try needs("--unmetered") == .noExpensive)
        #expect(try needs("--discretionary") == .goodMoment)
        #expect(try needs("--discretionary", "--unmetered") == [.noExpensive, .goodMoment])
    }

    @Test func `whether somebody is told is handed over, or left to the settings`() throws {
        func notify(_ words: String...) throws -> Bool? {
            try #require(try upload(words + ["a b.txt", "http://h/x"]).specs.first).notify
        }
        #expect(try notify() == nil)
        #expect(try notify("--notify") == true)
        #expect(try notify("--no-notify") == false)
        let both = try upload(["--notify", "--no-notify", "a b.txt", "http://h/x"])
        #expect(both.run.status == .usage)
        #expect(both.run.errors.contains("not both"))
    }

    @Test func `a directory's files go below the URL`() throws {
        let (_, specs) = try upload(["d/", "a b.txt", "http://h/in/?q=1"])
        #expect(
            specs.map(\.url.unredacted) == [
                "http://h/in/c?q=1", "http://h/in/sub/%C3%BC?q=1", "http://h/in/a%20b.txt?q=1",
            ]
        )
    }

    @Test func `links in a directory are counted where they are left out, and followed where wanted`() throws {
        let folder = directory.path("d")
        try #require(symlink("sub", folder + "/folder") == 0)
        let (one, all) = try upload(["d", "http://h/in/"])
        #expect(one.status == .success && all.count == 2)
        #expect(
            one.errors
                == "offstage: In \(folder) the link folder is left out: --follow-links sends what a link points to.\n"
        )
        try #require(symlink("nowhere", folder + "/broken") == 0)
        #expect(try upload(["d", "http://h/in/"]).run.errors.contains("2 links, such as broken, are left out: "))
        let (followed, more) = try upload(["--follow-links", "d", "http://h/in/"])
        #expect(
            more.map(\.url.unredacted) == ["http://h/in/c", "http://h/in/folder/%C3%BC", "http://h/in/sub/%C3%BC"]
        )
        let why = "the link broken is left out: it points nowhere, or to a directory that contains it."
        #expect(followed.errors == "offstage: In \(folder) \(why)\n")
    }

    /// The folders that may be created on a WebDAV server: the URL's folder, and the folders in it.
    @Test func `a URL that is a folder counts what may be missing, and one that names the file counts nothing`() throws
    {
        #expect(try upload(["d/", "a b.txt", "http://h/in/"]).specs.map(\.collections) == [1, 2, 1])
        for words in [["a b.txt", "http://h/in/x"], ["-X", "POST", "a b.txt", "http://h/in/"]] {
            #expect(try upload(words).specs.map(\.collections) == [nil])
        }
        #expect(try upload(["--any-status", "a b.txt", "http://h/in/"]).specs.map(\.collections) == [nil])
    }

    @Test func `a list on standard input names files, and their URLs where it wants`() throws {
        let (_, specs) = try upload(["-", "http://h/in/"], input: "a b.txt\nd/c\thttp://other/y\n")
        #expect(specs.map(\.url.unredacted) == ["http://h/in/a%20b.txt", "http://other/y"])
        let missing = try upload(["-"], input: "a b.txt\n").run
        #expect(missing.status == .usage)
        #expect(missing.errors.contains("line 1 of standard input names no URL"))
    }

    @Test func `proxies and certificates come from the environment as curl reads it`() throws {
        try TestFiles.write("pem", to: directory.path("ca.pem"))
        let (_, specs) = try upload(
            ["a b.txt", "http://h/x"],
            environment: [
                "http_proxy": "http://p:1", "HTTP_PROXY": "http://evil:1", "HTTPS_PROXY": "http://p:2", "no_proxy": "x",
                "SSL_CERT_FILE": directory.path("ca.pem"),
            ]
        )
        #expect(specs[0].proxy == .init(http: "http://p:1", https: "http://p:2", all: nil, none: "x"))
        #expect(specs[0].certificateAuthorityPath == directory.path("ca.pem"))
    }

    @Test func `a snapshot is sent in place of the file`() throws {
        let spec = try #require(try upload(["--snapshot", "a b.txt", "http://h/in/"]).specs.first)
        #expect(spec.path.hasPrefix(directory.path("h/snapshots/")))
        #expect(spec.url.unredacted == "http://h/in/a%20b.txt")
        guard case .upload(let source) = spec.direction else { return }
        #expect(source.isSnapshot)
        #expect(try TestFiles.text(source.path) == "1")
    }

    private func snapshot(_ answer: ScriptedPeer.Step) throws -> CommandRun {
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, _ in
            name == Hello.name ? try ScriptedPeer.hello() : [answer]
        }
        return withExtendedLifetime(peer) {
            CommandRun(
                ["upload", "--snapshot", "a b.txt", "http://h/in/"],
                home: directory.path("h"),
                directory: directory.path
            )
        }
    }

    @Test func `snapshots are removed when the daemon refuses`() throws {
        let run = try snapshot(.refuse(WireFailure(.store, "The disk is full.")))
        #expect(run.status == .daemonUnreachable)
        #expect(run.errors == "offstage: The disk is full.\n")
        #expect(try DirectoryTree.content(of: directory.path("h/snapshots")).files == [])
    }

    @Test func `snapshots stay when it is not known whether the daemon has accepted them`() throws {
        #expect(try snapshot(.close).status == .daemonUnreachable)
        #expect(try DirectoryTree.content(of: directory.path("h/snapshots")).files.count == 1)
    }

    @Test func `very many transfers go over in batches`() throws {
        let lines = (0..<2500).map { "a b.txt\thttp://h/\($0)\n" }.joined()
        let (run, specs) = try upload(["-"], input: lines)
        #expect(specs.count == 2500)
        #expect(run.lines.count == 2500)
        #expect(run.lines.last == "2500")
    }

    @Test(arguments: [
        (["upload"], 2, "name a file and a URL"),
        (["upload", "a b.txt"], 2, "name the URL to send 'a b.txt' to"),
        (["upload", "http://h/"], 2, "name a file before 'http://h/'"),
        (["upload", "http://h/", "a b.txt"], 2, "the destination comes last"),
        (["upload", "a b.txt", "d/c", "http://h/x"], 2, "2 files cannot be sent to one URL"),
        (["upload", "a b.txt", "ftp://h/x"], 2, "The scheme 'ftp' is not supported"),
        (["upload", "a b.txt", "h/x"], 2, "has no scheme"),
        (["upload", "a b.txt", "http://h:99999/x"], 2, "not a URL"),
        (["upload", "-H", "A: b\r\nC: d", "a b.txt", "http://h/x"], 2, "line break or NUL"),
        (["upload", "-H", "no colon", "a b.txt", "http://h/x"], 2, "it has no colon"),
        (["upload", "-X", "PUT /", "a b.txt", "http://h/x"], 2, "is not an HTTP method"),
        (["upload", "--limit-rate", "fast", "a b.txt", "http://h/x"], 2, "'fast' is not a speed"),
        (["upload", "--begin", "soon", "a b.txt", "http://h/x"], 2, "'soon' is not a date"),
        (["upload", "-m", "0", "a b.txt", "http://h/x"], 2, "'0' is not a time"),
        (["upload", "--cacert", "none.pem", "a b.txt", "http://h/x"], 1, "none.pem cannot be read"),
        (["upload", "--cacert", "/dev/zero", "a b.txt", "http://h/x"], 1, "not a regular file"),
        (["upload", "missing", "http://h/x"], 1, "There is no file"),
        (["upload", "d", "http://h/x"], 1, "is a directory"),
        (["upload", "--no-start", "a b.txt", "http://h/x"], 3, "No Offstage daemon answers at"),
    ])
    func `a mistake ends in one clear sentence`(words: [String], code: Int32, part: String) throws {
        let run = CommandRun(words, home: directory.path("none"), directory: directory.path)
        #expect(run.status.code == code)
        #expect(run.errors.contains(part), "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(run.output.isEmpty)
    }
}
