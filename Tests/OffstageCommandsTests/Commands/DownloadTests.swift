// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
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

    private func download(_ words: [String], input: String = "") throws -> (run: CommandRun, specs: [TransferSpec]) {
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
            CommandRun(
                ["download", "--detach"] + words,
                home: directory.path("h"),
                directory: directory.path,
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

    @Test(arguments: [
        (["download"], 2, "name a URL"),
        (["download", "http://h/"], 2, "ends with no file name"),
        (["download", "http://h/a/.."], 2, "ends with no file name"),
        (["download", "gopher://h/x"], 2, "The scheme 'gopher' is not supported"),
        (["download", "file:///etc/passwd"], 2, "The scheme 'file' is not supported"),
        (["download", "-o", "x", "http://h/1", "http://h/2"], 2, "there are 2 URLs and 1 -o"),
        (["download", "http://h/1", "http://g/1"], 2, "two URLs would both be written to"),
        (["download", "--checksum", "md5:1", "http://h/1"], 2, "is not a checksum"),
        (["download", "http://h/old"], 1, "is there already"),
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
