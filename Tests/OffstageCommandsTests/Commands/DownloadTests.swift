// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Synchronization
import Testing

@Suite struct DownloadTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try TestFiles.makeDirectory(directory.path("in"))
        try TestFiles.write("old", to: directory.path("old"))
    }

    private final class Recorded: Sendable {
        let specs = Mutex<[TransferSpec]>([])
    }

    private func download(
        _ words: [String],
        input: String = "",
        variables: [String: String] = [:]
    ) throws -> (run: CommandRun, specs: [TransferSpec]) {
        let recorded = Recorded()
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, payload in
            if name == Hello.name { return try ScriptedPeer.hello() }
            if name == ListAccounts.name { return [try ScriptedPeer.reply(ListAccounts.Reply(rows: []))] }
            let specs = try WireCoding.decode(SubmitTransfers.self, from: payload).specs
            recorded.specs.withLock { $0 += specs }
            return [
                try ScriptedPeer.reply(SubmitTransfers.Reply(ids: specs.indices.map { .init(rawValue: Int64($0 + 1)) }))
            ]
        }
        let run = withExtendedLifetime(peer) {
            CommandRun(
                ["download", "--detach"] + words,
                home: directory.path("h"),
                directory: directory.path,
                environment: variables,
                input: input
            )
        }
        return (run, recorded.specs.withLock { $0 })
    }

    @Test func `the file is named after the URL`() throws {
        let (run, specs) = try download(["https://h/a/disk%20one.iso?x=1"])
        #expect(run.status == .success, "\(run.errors)")
        #expect(specs[0].path == directory.path("disk one.iso"))
        #expect(specs[0].method == "GET")
    }

    @Test func `objects of S3 are fetched in pieces, and their keys are taken as they are`() throws {
        try TestFiles.makeDirectory(directory.path("aws"))
        let key = "[default]\naws_access_key_id = A\naws_secret_access_key = b\n"
        try TestFiles.write(key, to: directory.path("aws/credentials"))
        let place = ["--endpoint-url", "https://minio.example:9000/"]
        let variables = ["AWS_SHARED_CREDENTIALS_FILE": "aws/credentials", "AWS_CONFIG_FILE": "aws/none"]
        let (run, specs) = try download(place + ["s3://b/a [1-3].bin", "s3://b/{x,y}%20"], variables: variables)
        #expect(run.status == .success, "\(run.errors)")
        #expect(specs.map(\.path) == [directory.path("a [1-3].bin"), directory.path("{x,y}%20")])
        #expect(specs[0].url.unredacted == "https://minio.example:9000/b/a%20%5B1-3%5D.bin")
        #expect(specs.map(\.destination) == ["s3://b/a [1-3].bin", "s3://b/{x,y}%20"])
        #expect(specs.map(\.connection?.connections) == [8, 8])
        for spec in specs { try spec.validate() }
        let dialect = try #require(specs[0].dialect)
        let object = try S3Object(dialect)
        #expect(object.endpoint == S3Endpoint(base: "https://minio.example:9000", region: "us-east-1"))
        let one = try download(place + ["--connections", "1", "s3://b/c"], variables: variables).specs
        #expect(one.map(\.connection?.connections) == [1])
        let listed = try download(place + ["-"], input: "s3://b/d\tin/e\n", variables: variables).specs
        #expect(listed.map(\.path) == [directory.path("in/e")])
        let range = try download(place + ["-r", "0-4", "s3://b/f"], variables: variables).specs
        #expect(range.map(\.connection?.connections) == [nil] && range.first?.headers["Range"] == "bytes=0-4")
    }

    @Test func `each URL has its own name, or a directory has them all`() throws {
        #expect(
            try download(["-o", "x", "http://h/1", "-o", "in/y", "http://h/2"]).specs.map(\.path)
                == [directory.path("x"), directory.path("in/y")]
        )
        #expect(
            try download(["--output-dir", "in", "http://h/1", "http://h/2"]).specs.map(\.path)
                == [directory.path("in/1"), directory.path("in/2")]
        )
        #expect(
            try download(["--output-dir", "in", "-o", "z", "http://h/1"]).specs.map(\.path) == [directory.path("in/z")]
        )
    }

    @Test func `a list names URLs and files`() throws {
        let specs = try download(["--output-dir", "in", "-"], input: "http://h/1\nhttp://h/2\tother\n").specs
        #expect(specs.map(\.path) == [directory.path("in/1"), directory.path("in/other")])
    }

    @Test func `force and checksum reach the daemon`() throws {
        let sum = "sha256:" + String(repeating: "aB", count: 32)
        let spec = try download(["--force", "--checksum", sum, "-o", "old", "http://h/1"]).specs[0]
        guard case .download(let target) = spec.direction else { return }
        #expect(target.overwrites)
        #expect(target.checksum?.description == sum.lowercased())
    }

    @Test func `a list gives each file its checksum, and a file that is not in it is refused`() throws {
        let (one, two) = (String(repeating: "1a", count: 32), String(repeating: "2b", count: 32))
        try TestFiles.write("\(one)  a.iso\nSHA256 (b.iso) = \(two)\n", to: directory.path("SUMS"))
        func sums(_ specs: [TransferSpec]) -> [String?] {
            specs.map { if case .download(let target) = $0.direction { target.checksum?.sha256 } else { nil } }
        }
        let words = ["--checksums", "SUMS", "-o", "x", "http://h/d/a.iso", "-o", "b.iso", "http://h/?q"]
        let (run, specs) = try download(words)
        #expect(run.status == .success, "\(run.errors)")
        #expect(sums(specs) == [one, two])
        #expect(sums(try download(["--checksums", "SUMS", "-"], input: "http://h/b.iso\n").specs) == [two])
        let (refused, none) = try download(
            ["--checksums", "SUMS", "--create-dirs", "--output-dir", "new", "http://h/a.iso", "http://h/c.iso"]
        )
        #expect(refused.status.code == 2 && none.isEmpty)
        #expect(refused.errors.contains("'c.iso' is not listed in \(directory.path("SUMS"))"), "\(refused.errors)")
        #expect(!TestFiles.exists(directory.path("new")))
        try TestFiles.write("\(one)  a.iso\n\(two)  a.iso\n", to: directory.path("SUMS"))
        let odd = try download(["--checksums", "SUMS", "http://h/a.iso"]).run
        #expect(odd.errors.contains("Line 2 of \(directory.path("SUMS"))"), "\(odd.errors)")
        #expect(odd.errors.split(separator: "\n").count == 1)
    }

    @Test func `a list may come from a shell's substitution`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let line = Array("\(String(repeating: "1a", count: 32))  a.iso\n".utf8)
        #expect(write(ends[1], line, line.count) == line.count)
        close(ends[1])
        defer { close(ends[0]) }
        let (run, specs) = try download(["--checksums", "/dev/fd/\(ends[0])", "http://h/a.iso"])
        #expect(run.status == .success && specs.count == 1, "\(run.errors)")
    }

    @Test func `a list that is too long is not read whole`() throws {
        #expect(truncate(directory.path("old"), 4 << 30) == 0)
        let run = try download(["--checksums", "old", "http://h/a.iso"]).run
        #expect(run.errors.contains("is longer than") && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    }

    @Test(arguments: [
        (["download"], 2, "name a URL"),
        (["download", "--checksums", "x", "--checksum", "y", "http://h/1"], 2, "not both"),
        (["download", "--checksums", "https://h/SHA256SUMS", "http://h/1"], 2, "<(curl -fsSL URL)"),
        (["download", "--checksums", "none", "http://h/1"], 1, "cannot be read"),
        (["download", "--checksums", "in", "http://h/1"], 1, "cannot be read"),
        (["download", "http://h/"], 2, "does not end with a file name"),
        (["download", "http://h/a/.."], 2, "does not end with a file name"),
        (["download", "gopher://h/x"], 2, "The scheme 'gopher' is not supported"),
        (["download", "file:///etc/passwd"], 2, "The scheme 'file' is not supported"),
        (["download", "-o", "x", "http://h/1", "http://h/2"], 2, "there are 2 URLs and 1 -o"),
        (["download", "http://h/1", "http://g/1"], 2, "two URLs would both be written to"),
        (["download", "--checksum", "md5:1", "http://h/1"], 2, "is not a checksum"),
        (["download", "http://h/old"], 1, "already exists"),
        (["download", "-o", "no/x", "http://h/1"], 1, "There is no directory"),
        (["download", "-o", "in", "--force", "http://h/1"], 1, "is a directory"),
        (["download", "http://h/" + String(repeating: "n", count: 300)], 1, "has 300 bytes"),
    ])
    func `a mistake ends in one clear sentence`(words: [String], code: Int32, part: String) throws {
        let run = CommandRun(words, home: directory.path("none"), directory: directory.path)
        #expect(run.status.code == code, "\(run.errors)")
        #expect(run.errors.contains(part), "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1)
    }
}
