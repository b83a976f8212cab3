// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Synchronization
import Testing

/// Command lines as people paste them from manuals and browsers: what curl's options mean there they mean here, or a
/// sentence says why not.
@Suite struct PastedLinesTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["file", "cert.pem", "key.pem", "netrc", "body.json"] {
            try TestFiles.write("line 1\nline 2\n", to: directory.path(name))
        }
        try TestFiles.write("a\0b\r\nc\n", to: directory.path("binary"))
    }

    /// Runs a line, whose words are split at spaces; quotes keep some together.
    private func run(_ line: String) throws -> (run: CommandRun, specs: [TransferSpec]) {
        let submitted = Recorded()
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, payload in
            if name == Hello.name { return try ScriptedPeer.hello() }
            let specs = try WireCoding.decode(SubmitTransfers.self, from: payload).specs
            submitted.specs.withLock { $0 += specs }
            return [
                try ScriptedPeer.reply(SubmitTransfers.Reply(ids: specs.indices.map { .init(rawValue: Int64($0 + 1)) }))
            ]
        }
        let run = withExtendedLifetime(peer) {
            CommandRun(
                Self.words(line) + ["--detach"],
                home: directory.path("h"),
                directory: directory.path,
                environment: ["HOME": directory.path, "http_proxy": "http://old.example:1"]
            )
        }
        return (run, submitted.specs.withLock { $0 })
    }

    private final class Recorded: Sendable {
        let specs = Mutex<[TransferSpec]>([])
    }

    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        for (index, part) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
            if index % 2 == 1 {
                words.append(String(part))
            } else {
                words += part.split(separator: " ").map(String.init)
            }
        }
        return words
    }

    /// A line that runs, and what is handed over for it.
    struct Case: Sendable, CustomTestStringConvertible {
        var line: String
        var check: @Sendable (TransferSpec) -> Bool
        var testDescription: String { line }

        init(_ line: String, _ check: @escaping @Sendable (TransferSpec) -> Bool) {
            (self.line, self.check) = (line, check)
        }
    }

    static let downloads = [
        Case("download -O https://h/a.iso") { $0.path.hasSuffix("/a.iso") },
        Case("download -LO https://h/a.iso") { $0.path.hasSuffix("/a.iso") },
        Case("download -LOJ https://h/get.php?id=7") { $0.path.hasSuffix("/get.php") && $0.takesRemoteName },
        Case("download -OJ https://h/") { $0.path.hasSuffix("/download") && $0.takesRemoteName },
        Case("download --remote-header-name -O https://h/file") { $0.path.hasSuffix("/file") && $0.takesRemoteName },
        Case("download -J -o a https://h/x") { $0.path.hasSuffix("/a") && !$0.takesRemoteName },
        Case("download -fsSL https://h/install.sh -o install.sh") { $0.path.hasSuffix("/install.sh") },
        Case("download -C - -O https://h/a.iso") { $0.url.unredacted == "https://h/a.iso" },
        Case("download -L -C - --retry 5 --retry-connrefused -O https://h/a") { $0.maximumRetries == 5 },
        Case("download --progress-bar -o a https://h/x") { $0.path.hasSuffix("/a") },
        Case("download -k -o a https://h/x") { $0.connection?.acceptsAnyCertificate == true },
        Case("download -x http://proxy:3128 -O https://h/x") {
            $0.proxy.all == "http://proxy:3128" && $0.proxy.http == nil
        },
        Case("download --proxy socks5h://p:1 --noproxy a,b -O https://h/x") { $0.proxy.none == "a,b" },
        Case("download -A Mozilla/5.0 -O https://h/x") { $0.headers["User-Agent"] == "Mozilla/5.0" },
        Case("download -A '' -O https://h/x") {
            $0.connection?.hasNoUserAgent == true && $0.headers["User-Agent"] == nil
        },
        Case("download -e https://h/ -O https://h/x") { $0.headers["Referer"] == "https://h/" },
        Case("download -b a=1 -b 'b=2; c=3' -O https://h/x") { $0.headers["Cookie"] == "a=1; b=2; c=3" },
        Case("download -H 'User-Agent: own' -A other -O https://h/x") { $0.headers["User-Agent"] == "own" },
        Case("download -u me:word -O https://h/x") { $0.credentials?.password == "word" },
        Case("download --netrc-file netrc -O https://h/x") { $0.connection?.netrcPath?.hasSuffix("/netrc") == true },
        Case("download -E cert.pem --key key.pem -O https://h/x") {
            $0.connection?.certificatePath?.hasSuffix("/cert.pem") == true && $0.connection?.keyPath != nil
        },
        Case("download --resolve h:443:10.0.0.1 -O https://h/x") { $0.connection?.connectTo == ["h:443:10.0.0.1:443"] },
        Case("download --resolve +h:443:10.0.0.1 -O https://h/x") {
            $0.connection?.connectTo == ["h:443:10.0.0.1:443"]
        },
        Case("download --resolve h:443:::1 -O https://h/x") { $0.connection?.connectTo == ["h:443:[::1]:443"] },
        Case("download --connect-to h:443:b:8443 -O https://h/x") { $0.connection?.connectTo == ["h:443:b:8443"] },
        Case("download --compressed -o a https://h/x") { $0.connection?.asksForCompression == true },
        Case("download -R -O https://h/x") {
            if case .download(let to) = $0.direction { to.keepsRemoteTime == true } else { false }
        },
        Case("download --create-dirs -o new/deep/a https://h/x") { $0.path.hasSuffix("/new/deep/a") },
        Case("download -G -d q=1 -d r=2 -o a https://h/x") { $0.url.unredacted == "https://h/x?q=1&r=2" },
        Case("download -G -d q=1 -o a 'https://h/x?p=0#f'") { $0.url.unredacted == "https://h/x?p=0&q=1" },
        Case("download --limit-rate 1M -m 600 --connect-timeout 5 -O https://h/x") { $0.rateLimit == 1 << 20 },
        Case("download --http2 --globoff -O https://h/x") { $0.path.hasSuffix("/x") },
        Case("download --output-dir . -O https://h/x") { $0.path.hasSuffix("/x") },
    ]

    static let uploads = [
        Case("upload -T file https://h/in/") { $0.url.unredacted == "https://h/in/file" && $0.method == "PUT" },
        Case("upload --fail-with-body -d a=1 https://h/in") { $0.method == "POST" },
        Case("upload -sS -T file https://h/in/x") { $0.url.unredacted == "https://h/in/x" },
        Case("upload -F file=@file -F title=x https://h/in") { $0.method == "POST" },
        Case("upload -X POST --data-binary @file -H 'Content-Type: text/csv' https://h/in") {
            $0.headers["Content-Type"] == "text/csv" && $0.method == "POST"
        },
        Case("upload -d a=1 -d b=2 https://h/in") {
            $0.headers["Content-Type"] == "application/x-www-form-urlencoded" && $0.method == "POST"
                && $0.connection?.postsData == true
        },
        Case("upload -X PATCH -d a=1 https://h/in") { $0.method == "PATCH" && $0.connection == nil },
        Case("upload --digest -u me:word -T file https://h/in/") { $0.credentials?.isForDigest == true },
        Case("upload --json-data '{\"a\":1}' https://h/in") { $0.headers["Content-Type"] == "application/json" },
        Case("upload -k -u me:word -T file https://h/in/") { $0.connection?.acceptsAnyCertificate == true },
        Case("upload -L -f -x '' -T file http://h/in/") { $0.proxy == .init() },
    ]

    @Test(arguments: downloads + uploads) func `means here what it means there`(line: Case) throws {
        let (run, specs) = try run(line.line)
        #expect(run.status == .success, "\(run.errors)")
        let spec = try #require(specs.first)
        #expect(specs.count == 1 && line.check(spec), "\(spec)")
    }

    @Test(
        arguments: [
            ("upload -d @file -d b=@c https://h/in", "line 1line 2&b=@c"),
            ("upload --data-binary @file https://h/in", "line 1\nline 2\n"),
            ("upload -d @binary https://h/in", "abc"), ("upload --data-binary @binary https://h/in", "a\0b\r\nc\n"),
            ("upload --data-raw @file https://h/in", "@file"), ("upload -d '' https://h/in", ""),
            ("upload --json-data '{' --json-data '}' https://h/in", "{}"),
        ]
    )
    func `a body on the command line is kept as it is to be sent`(line: String, body: String) throws {
        let (run, specs) = try run(line)
        #expect(run.status == .success, "\(run.errors)")
        guard case .upload(let source)? = specs.first?.direction else {
            Issue.record("no upload")
            return
        }
        #expect(source.isSnapshot)
        #expect(try TestFiles.text(source.path) == body)
    }

    @Test(
        arguments: [
            ("download -c jar -O https://h/x", "has no cookie jar"),
            ("download -b jar -O https://h/x", "'jar' are not read"),
            ("download -v -O https://h/x", "'offstage show ID'"), ("download -I https://h/x", "use curl -I"),
            ("download -i https://h/x", "headers do not go into the file"),
            ("download -r 0-99 -O https://h/x", "Range"), ("download -o - https://h/x", "standard output"),
            ("download -d a=1 https://h/x", "use 'offstage upload --data'"),
            ("download -C 500 -O https://h/x", "leave out"),
            ("download -w '%{http_code}' -O https://h/x", "--json"), ("download -Z -O https://h/x", "at once anyway"),
            ("download --socks5 h:1 -O https://h/x", "--proxy socks5h://"),
            ("download -4 -O https://h/x", "answers first"),
            ("download --key key.pem -O https://h/x", "goes with --cert"),
            ("download -E none.pem -O https://h/x", "cannot be read"),
            ("download --resolve h -O https://h/x", "HOST:PORT:ADDRESS"),
            ("download -x ftp://p:1 -O https://h/x", "--proxy and -x take"),
            ("download -x 16 -s https://h/x", "--proxy and -x take SCHEME://HOST:PORT"),
            ("download -O out.iso https://h/x", "goes with -o"),
            ("download -P dir https://h/x", "--output-dir"), ("upload -d a -T file https://h/in", "no file with it"),
            ("upload -d a -F b=c https://h/in", "one body"), ("upload -d @- https://h/in", "standard input"),
            ("upload -T - https://h/in/", "standard input"),
            ("download -G -d @file https://h/x", "not read from a file"),
            ("download --resolve h:443:10.0.0.1,10.0.0.2 -O https://h/x", "one address"),
            ("download --http1.1 -O https://h/x", "HTTP/2 is used"),
            ("download --retry-all-errors -O https://h/x", "does not help"),
            ("upload -b a=1 file dropbox:/x", "makes no sense"), ("upload -A '' file dropbox:/x", "makes no sense"),
            ("download --fail-with-body -O https://h/x", "'offstage show ID' has the answer"),
        ]
    )
    func `or a sentence says why not, and what to do`(line: String, words: String) throws {
        let (run, specs) = try run(line)
        #expect(run.status != .success)
        #expect(run.errors.contains(words), "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(specs.isEmpty)
    }

    @Test func `help and completion leave out what is only refused or ignored`() throws {
        let help = CommandRun(["download", "--help"]).output
        #expect(help.contains("--compressed") && help.contains("-L, --location"))
        for name in ["--cookie-jar", "--write-out", "--http2", "--fail-with-body"] { #expect(!help.contains(name)) }
        #expect(!CommandRun(["completion", "bash"]).output.contains("--cookie-jar"))
    }
}

extension TransferSpec {
    fileprivate var takesRemoteName: Bool {
        if case .download(let target) = direction { target.remoteName == .wanted } else { false }
    }
}
