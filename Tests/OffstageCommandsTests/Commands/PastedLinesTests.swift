// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Synchronization
import Testing

/// Command lines as people paste them from manuals and browsers: curl's options have curl's meaning, or a sentence
/// says why not.
@Suite struct PastedLinesTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["file", "cert.pem", "key.pem", "netrc", ".netrc", "body.json"] {
            try TestFiles.write("line 1\nline 2\n", to: directory.path(name))
        }
        try TestFiles.write("a\0b\r\nc\n", to: directory.path("binary"))
    }

    /// Runs a line, split into words at spaces; quotes keep words together.
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

    /// A line that runs, and what it hands over.
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
        Case("download -fsSL https://h/install.sh -o install.sh") {
            $0.path.hasSuffix("/install.sh") && !$0.overwrites
        },
        Case("download --fail --silent --show-error --location --no-buffer --no-progress-meter -O https://h/x") {
            $0.path.hasSuffix("/x") && !$0.overwrites
        },
        Case("download --tcp-nodelay --keepalive --tlsv1 --max-time 600 --connect-timeout 5 -O https://h/x") {
            $0.overallTimeout == 600 && $0.connectTimeout == 5
        },
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
        Case("download -n -O https://h/x") { $0.connection?.netrcPath?.hasSuffix("/.netrc") == true },
        Case("download --netrc -O https://h/x") { $0.connection?.netrcPath?.hasSuffix("/.netrc") == true },
        Case("download -E cert.pem --key key.pem -O https://h/x") {
            $0.connection?.certificatePath?.hasSuffix("/cert.pem") == true && $0.connection?.keyPath != nil
        },
        Case("download --resolve h:443:10.0.0.1 -O https://h/x") { $0.connection?.connectTo == ["h:443:10.0.0.1:443"] },
        Case("download --resolve +h:443:10.0.0.1 -O https://h/x") {
            $0.connection?.connectTo == ["h:443:10.0.0.1:443"]
        },
        Case("download --resolve h:443:::1 -O https://h/x") { $0.connection?.connectTo == ["h:443:[::1]:443"] },
        Case("download --connect-to h:443:b:8443 -O https://h/x") { $0.connection?.connectTo == ["h:443:b:8443"] },
        Case("download --resolve 한국.example:443:10.0.0.1 --connect-to h:1:bücher.example:2 -O https://h/x") {
            $0.connection?.connectTo == [
                "xn--3e0b707e.example:443:10.0.0.1:443", "h:1:xn--bcher-kva.example:2",
            ]
        },
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
        Case("download -g -N -# -fsSL --basic --ssl-reqd --tlsv1.2 --remove-on-error -O https://h/x") {
            $0.path.hasSuffix("/x")
        },
        Case("download --url https://h/x -o a") { $0.url.unredacted == "https://h/x" && $0.path.hasSuffix("/a") },
        Case("download -x http://p:1 -U me:w@rd -O https://h/x") { $0.proxy.all == "http://me:w%40rd@p:1" },
        Case("download -x p:1 --proxy-user me:word -O https://h/x") { $0.proxy.all == "http://me:word@p:1" },
        Case("download --oauth2-bearer secret -O https://h/x") {
            $0.headers["Authorization"] == "Bearer secret" && !HarmlessHeaders.isShown("Authorization")
        },
        Case("download --no-clobber -O https://h/x") { $0.path.hasSuffix("/x") },
        Case("download -r 0-99 -O https://h/x") { $0.headers["Range"] == "bytes=0-99" },
        Case("download --range -500 -O https://h/x") { $0.headers["Range"] == "bytes=-500" },
        Case("download -r 500 -O https://h/x") { $0.headers["Range"] == "bytes=500-" },
        Case("download -r 0-99 -H 'Range: bytes=1-2' -O https://h/x") { $0.headers["Range"] == "bytes=1-2" },
        Case("download -4 -O https://h/x") { $0.connection?.ipVersion == 4 },
        Case("download --ipv6 -O https://h/x") { $0.connection?.ipVersion == 6 },
        Case("download --tlsv1.3 -O https://h/x") { $0.connection?.needsTLS13 == true },
        Case("download -L --max-redirs 5 -O https://h/x") { $0.connection?.mostRedirects == 5 },
        Case("download --max-redirs 0 -O https://h/x") { $0.connection?.mostRedirects == 0 },
        Case("download --retry 3 --retry-delay 5 -O https://h/x") {
            $0.maximumRetries == 3 && $0.connection?.retryDelay == 5
        },
        Case("download --retry-delay 0 -O https://h/x") { $0.connection == nil },
        Case("download --remote-name-all https://h/x") { $0.path.hasSuffix("/x") },
        Case("download --continue -O https://h/x") { $0.path.hasSuffix("/x") },
        Case("download -G --data-urlencode 'q=a b&c' --data-urlencode =x/y -o a https://h/x") {
            $0.url.unredacted == "https://h/x?q=a%20b%26c&x%2Fy"
        },
        Case("download --resolve *:8015:127.0.0.1 -O https://h:8015/x") {
            $0.connection?.connectTo == [":8015:127.0.0.1:8015"]
        },
        Case("download -g -o a https://h/{small,big}[1]") { $0.url.unredacted.hasSuffix("%7Bsmall,big%7D%5B1%5D") },
        Case("download -O https://[::1]:8443/x") { $0.url.unredacted == "https://[::1]:8443/x" },
        Case("download --checksum sha-256=\(String(repeating: "aB", count: 32)) -O https://h/x") {
            if case .download(let to) = $0.direction { to.checksum?.sha256.hasPrefix("abab") == true } else { false }
        },
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
        Case("upload --data-ascii a=1 https://h/in") { $0.method == "POST" && $0.connection?.postsData == true },
        Case("upload -X PATCH -d a=1 https://h/in") { $0.method == "PATCH" && $0.connection == nil },
        Case("upload --digest -u me:word -T file https://h/in/") { $0.credentials?.isForDigest == true },
        Case("upload --json-data '{\"a\":1}' https://h/in") { $0.headers["Content-Type"] == "application/json" },
        Case("upload -k -u me:word -T file https://h/in/") { $0.connection?.acceptsAnyCertificate == true },
        Case("upload -L -f -x '' -T file http://h/in/") { $0.proxy == .init() },
        Case("upload -4 --tlsv1.3 --max-redirs 3 --retry-delay 2m -T file https://h/in/") {
            $0.connection?.ipVersion == 4 && $0.connection?.retryDelay == 120
        },
        Case("upload -T file --url https://h/in/") { $0.url.unredacted == "https://h/in/file" },
        Case("upload -g -N -# -T file https://h/in/") { $0.url.unredacted == "https://h/in/file" },
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
            ("upload --data-urlencode 'a=b c' -d d=e https://h/in", "a=b%20c&d=e"),
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
            ("download -r 0-9,20-29 -O https://h/x", "one range of bytes"),
            ("download -r - -O https://h/x", "one range of bytes"),
            ("upload -r 0-9 -T file https://h/in/", "sent whole"),
            ("download -o - https://h/x", "standard output"),
            ("download -d a=1 https://h/x", "use 'offstage upload --data'"),
            ("download -C 500 -O https://h/x", "leave out"),
            // This was once --force.
            ("download -f -o file https://h/x", "already exists"),
            ("download -w '%{http_code}' -O https://h/x", "--json"), ("download -Z -O https://h/x", "at once anyway"),
            ("download --socks5 h:1 -O https://h/x", "--proxy socks5h://"),
            ("download -4 -6 -O https://h/x", "not both"), ("upload -4 file dropbox:/x", "cannot be used with"),
            ("download --key key.pem -O https://h/x", "needs --cert"),
            ("download -E none.pem -O https://h/x", "cannot be read"),
            ("download --resolve h -O https://h/x", "HOST:PORT:ADDRESS"),
            ("download -x ftp://p:1 -O https://h/x", "--proxy and -x take"),
            ("download -x 16 -s https://h/x", "--proxy and -x take SCHEME://HOST:PORT"),
            ("download -O out.iso https://h/x", "use -o for a file's name"),
            ("download -P dir https://h/x", "--output-dir"), ("upload -d a -T file https://h/in", "without files"),
            ("upload -d a -F b=c https://h/in", "one body"), ("upload -d @- https://h/in", "standard input"),
            ("upload -T - https://h/in/", "standard input"),
            ("download -G -d @file https://h/x", "not read from a file"),
            ("download --resolve h:443:10.0.0.1,10.0.0.2 -O https://h/x", "one address"),
            ("download --http1.1 -O https://h/x", "otherwise HTTP/1.1: leave it out"),
            ("download --retry-all-errors -O https://h/x", "does not help"),
            ("upload -b a=1 file dropbox:/x", "cannot be used with"),
            ("upload -A '' file dropbox:/x", "cannot be used with"),
            ("download -T file https://h/x", "use 'offstage upload'"),
            ("download -F a=b https://h/x", "use 'offstage upload'"),
            ("download --data-urlencode a@file -G https://h/x", "not read from a file"),
            ("upload -d a=b -o out https://h/in", "'offstage show ID' has its beginning"),
            ("upload -O -d a=b https://h/in", "'offstage show ID' has its beginning"),
            ("upload --json '{\"a\":1}' https://h/in", "is sent with --json-data"),
            ("download --retry-delay soon -O https://h/x", "a time such as 5 or 10m"),
            ("download --max-redirs -1 -O https://h/x", "a whole number up to 50"),
            ("download --max-redirs 51 -O https://h/x", "a whole number up to 50"),
            ("download --max-redirect=5 -O https://h/x", "write --max-redirs N"),
            ("download --tlsv1.1 -O https://h/x", "the newest TLS"),
            ("download -Y 100 -O https://h/x", "--speed-time"), ("upload -a -T file https://h/in/", "for FTP"),
            ("download --location-trusted -O https://h/x", "final URL"),
            ("download --ciphers x -O https://h/x", "TLS settings apply"),
            ("download --unix-socket /s -O http://h/x", "over TCP"), ("upload --post301 -d a https://h/x", "final URL"),
            ("download --doh-url https://d/ -O https://h/x", "--resolve"),
            ("download --capath /c -O https://h/x", "write --cacert FILE"),
            ("download --pinnedpubkey x -O https://h/x", "--cacert"),
            ("download --proxytunnel -x http://p:1 -O https://h/x", "tunnel anyway"),
            ("download --keepalive-time 5 -O https://h/x", "leave it out"),
            ("download -U me:word -O https://h/x", "needs --proxy"),
            ("download -x http://p:1 -U me -O https://h/x", "USER:PASSWORD"),
            ("download -qO- https://h/x", "cannot write to standard output"),
            ("download -O- https://h/x", "cannot write to standard output"),
            ("download -nc https://h/x", "--skip-existing here"), ("download -c https://h/x", "wget's -c"),
            ("download -x16 -s16 https://h/x", "aria2's -x16 is --connections 16"),
            ("download -k1M https://h/x", "aria2's -k1M"),
            ("download --out=ff https://h/x", "write --output FILE"), ("download -t 3 https://h/x", "write --retry N"),
            ("download --no-check-certificate https://h/x", "write --insecure"),
            ("download --content-disposition https://h/x", "write --remote-header-name"),
            ("download --tries=3 https://h/x", "write --retry N"), ("download --timeout=3 https://h/x", "--max-time"),
            ("download --input-file=l", "'offstage download - < FILE'"),
            ("download --dir=d https://h/x", "--output-dir DIR"),
            ("download --max-connection-per-server=4 https://h/x", "write --connections N"),
            ("download --post-data=a https://h/x", "'offstage upload --data TEXT'"),
            ("download --load-cookies=f https://h/x", "--cookie NAME=VALUE"),
            ("download 'magnet:?xt=urn:btih:1'", "The scheme 'magnet' is not supported"),
            ("download -o a https://h/{b,c}", "put #1 into the name"),
            ("download 'https://h/[0-999999][0-9]'", "more than 100000 URLs"),
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

    /// Accepted but not offered: options that change nothing, and aliases.
    private static let harmless: Set<String> = [
        "--progress-bar", "-#", "--no-progress-meter", "--no-buffer", "-N", "--http2", "--tcp-nodelay", "--keepalive",
        "--basic", "--ssl-reqd", "--tlsv1.2", "--tlsv1", "--remove-on-error", "--continue", "--remote-name-all",
        "--no-clobber", "--url", "--globoff", "-g",
    ]

    @Test(arguments: ["download", "upload"])
    func `what is not offered has its reason or says what it is called here`(command: String) throws {
        let type = try #require(CommandLineTool.commands.first { $0.path == [command] })
        let hidden = type.options.filter(\.isHidden)
        #expect(hidden.count > 50)
        for option in hidden {
            // An upload's answer is shown anyway.
            let isTaken =
                Self.harmless.isSuperset(of: option.names)
                || command == "upload" && option.names == ["--fail-with-body"]
            for name in isTaken ? [] : option.names {
                let value = option.value == nil ? [] : ["https://h/y"]
                let operands = ["-T", "file", "https://h/x"].suffix(command == "upload" ? 3 : 1)
                let run = CommandRun([command, name] + value + operands + ["--dry-run", "--no-start"])
                #expect(run.status == .usage)
                let words = ["cannot be honoured here: ", "is not supported: write "]
                #expect(run.errors.contains(name) && words.contains { run.errors.contains($0) }, "\(run.errors)")
                #expect(run.errors.split(separator: "\n").count == 1)
            }
        }
    }

    @Test func `brackets in a URL stand for several, and each is named`() throws {
        let (run, specs) = try run("download -o 'f#1_#2' 'https://h/{small,big}[9-10]'")
        #expect(run.status == .success, "\(run.errors)")
        #expect(
            specs.map(\.url.unredacted) == [
                "https://h/small9", "https://h/small10", "https://h/big9", "https://h/big10",
            ]
        )
        #expect(specs.map { $0.path.split(separator: "/").last } == ["fsmall_9", "fsmall_10", "fbig_9", "fbig_10"])
    }

    @Test func `a speed that forgot its unit is told, and taken`() throws {
        let (run, specs) = try run("download --limit-rate 7 -O https://h/x")
        #expect(run.errors == "offstage: --limit-rate 7 is 7 bytes per second: write 7k or 7M for more.\n")
        #expect(specs.first?.rateLimit == 7)
    }

    @Test func `no option is in a command's table twice`() {
        for command in CommandLineTool.commands {
            let names = command.options.flatMap(\.names)
            let twice = Dictionary(grouping: names, by: \.self).filter { $0.value.count > 1 }.keys
            #expect(twice.isEmpty, "\(command.path): \(twice)")
        }
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

    fileprivate var overwrites: Bool {
        if case .download(let target) = direction { target.overwrites } else { false }
    }
}
