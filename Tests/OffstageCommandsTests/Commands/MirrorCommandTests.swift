// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Synchronization
import Testing

/// The transfers that `--mirror` and `--metalink` hand over.
@Suite struct MirrorCommandTests {
    private let directory: TemporaryDirectory
    private static let sum = String(repeating: "ab", count: 32)

    init() throws { directory = try TemporaryDirectory() }

    private final class Recorded: Sendable {
        let specs = Mutex<[TransferSpec]>([])
    }

    private func download(_ words: String...) throws -> (run: CommandRun, specs: [TransferSpec]) {
        let recorded = Recorded()
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, payload in
            if name == Hello.name { return try ScriptedPeer.hello() }
            let specs = try WireCoding.decode(SubmitTransfers.self, from: payload).specs
            recorded.specs.withLock { $0 += specs }
            return [
                try ScriptedPeer.reply(SubmitTransfers.Reply(ids: specs.indices.map { .init(rawValue: Int64($0 + 1)) }))
            ]
        }
        let run = withExtendedLifetime(peer) {
            CommandRun(["download", "--detach"] + words, home: directory.path("h"), directory: directory.path)
        }
        return (run, recorded.specs.withLock { $0 })
    }

    private func metalink(_ files: String) throws -> String {
        let path = directory.path("files.meta4")
        try TestFiles.write("<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files)</metalink>", to: path)
        return path
    }

    @Test func `mirrors come after the URL, in their order`() throws {
        let (run, specs) = try download("--mirror", "http://b/f", "https://a/f", "--mirror", "https://c/x/g")
        #expect(run.status == .success, "\(run.errors)")
        let spec = try #require(specs.first)
        #expect(spec.url.unredacted == "https://a/f" && spec.path == directory.path("f"))
        #expect(spec.mirrors?.addresses.map(\.url.unredacted) == ["https://a/f", "http://b/f", "https://c/x/g"])
        #expect(spec.mirrors?.isUntried == true)
    }

    private static let refused: [([String], String)] = [
        (["--mirror", "https://b/f", "https://a/f", "https://a/g"], "is for one URL"),
        (["--mirror", "https://b/f", "-"], "is for one URL"),
        (["--mirror", "https://a/f", "https://a/f"], "each named once"),
        (["--mirror", "ftp://b/f", "https://a/f"], "ftp"),
        (["--mirror", "https://b/f", "--range", "0-4", "https://a/f"], "--range cannot be used with --mirror"),
        (["--mirror", "https://b/f", "--any-status", "https://a/f"], "--any-status cannot"),
        (["--mirror", "https://b/f", "--wait-for-credentials", "https://a/f"], "--wait-for-credentials cannot"),
        (["--mirror", "https://b/f", "-J", "https://a/f"], "--remote-header-name cannot be used with --mirror"),
        (["--metalink", "x.meta4", "-J"], "leave out --remote-header-name"),
        (["--metalink", "x.meta4", "--user", "ann:s3cr3t"], "--user would apply to the first of them"),
        (["--metalink", "x.meta4", "--cert", "a.pem", "--key", "b.pem"], "--cert would apply to"),
        (["--metalink", "x.meta4", "--insecure"], "--insecure would apply to"),
        (["--metalink", "x.meta4", "-H", "X-Key: s3cr3t"], "the header X-Key would apply to"),
        (["--metalink", "x.meta4", "-b", "a=s3cr3t"], "the header Cookie would apply to"),
        (["--metalink", "x.meta4", "--oauth2-bearer", "s3cr3t"], "use --netrc, which has names and passwords"),
        (["--metalink", "x.meta4", "--pinnedpubkey", "sha256//x"], "a key cannot be pinned"),
        (["--mirror", "https://b/f", "--metalink", "x.meta4"], "leave out --mirror or --metalink"),
        (["--metalink", "https://b/f.meta4"], "takes a file"),
        (["--metalink", "x.meta4", "https://a/f"], "leave out a URL"),
        (["--metalink", "x.meta4", "--checksums", "SUMS"], "leave out --checksums"),
        (["--metalink", "x.meta4"], "x.meta4"),
        (
            Array(repeating: ["--mirror", "https://b/f"], count: 17).flatMap { $0 } + ["https://a/f"],
            "up to 16 mirrors"
        ),
        ([], "name a URL"), (["--mirror", "https://a/"], "pages are not searched for links"),
    ]

    @Test(arguments: refused)
    func `what does not fit is refused`(words: [String], sentence: String) {
        let run = CommandRun(["download", "--detach"] + words, home: directory.path("h"), directory: directory.path)
        #expect(run.status != .success && run.errors.contains(sentence), "\(run.errors)")
        #expect(!run.errors.contains("s3cr3t"))
    }

    @Test func `header fields that are harmless go with a Metalink`() throws {
        let path = try metalink("<file name=\"one\"><url>https://a/1</url></file>")
        let (run, specs) = try download("--metalink", path, "-H", "Accept: */*", "-A", "me", "-o", "one")
        #expect(run.status == .success, "\(run.errors)")
        #expect(specs.first?.headers.map(\.name).sorted() == ["Accept", "User-Agent"])
    }

    @Test func `a Metalink's files are one transfer each`() throws {
        let path = try metalink(
            """
            <file name="../one.iso"><size>10</size><hash type="sha-256">\(Self.sum)</hash>
            <url priority="2">https://b/1</url><url priority="1">https://a/1</url><url>ftp://c/1</url></file>
            <file name="two.iso"><hash type="sha-1">ab</hash><url>https://a/2</url><url>https://a/2</url></file>
            """
        )
        let (run, specs) = try download("--metalink", path, "--output-dir", directory.path)
        #expect(run.status == .success, "\(run.errors)")
        #expect(specs.map(\.path) == [directory.path("one.iso"), directory.path("two.iso")])
        #expect(specs.map(\.url.unredacted) == ["https://a/1", "https://a/2"])
        #expect(specs.map { $0.mirrors?.addresses.count } == [2, 1] && specs[0].mirrors?.size == 10)
        #expect(specs[0].expectedBytes == 10 && specs[1].expectedBytes == nil)
        guard case .download(let target) = specs[0].direction else { return }
        #expect(target.checksum?.sha256 == Self.sum)
        #expect(run.errors.contains("two.iso: the Metalink has only hashes other than SHA-256"))
    }

    @Test func `a Metalink that cannot be used hands over nothing`() throws {
        let one = "<file name=\"one\"><url>https://a/1</url></file>"
        for (files, sentence) in [
            (one + "<file name=\"x/one\"><url>https://a/2</url></file>", "would both be written to"),
            ("<file name=\"one\"><url>ftp://a/1</url></file>", "no http or https address"),
            ("<file name=\"..\"><url>https://a/1</url></file>", "cannot be the name of a file"),
            ("<file name=\"one\"><size>x</size></file>", "cannot be used: the size of 'one' is not a number"),
        ] {
            let (run, specs) = try download("--metalink", try metalink(files))
            #expect(run.status != .success && run.errors.contains(sentence) && specs.isEmpty, "\(run.errors)")
        }
        let (run, specs) = try download("--metalink", try metalink(one), "-o", "other")
        #expect(run.status == .success && specs.first?.path == directory.path("other"))
    }
}
