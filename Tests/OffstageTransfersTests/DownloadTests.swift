// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Whole files, from nginx and from servers that are merely unusual.
struct DownloadTests {
    let harness: EngineHarness
    let server: FaultServer

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
    }

    @Test(arguments: [0, 1, 65_536, 1_048_576, 9_000_001], [false, true])
    func `a file from nginx arrives whole`(size: Int, large: Bool) throws {
        let nginx = try NginxServer()
        try TestFiles.makeRandom(nginx.path("file"), bytes: size, seed: 7)
        let run = try harness.download(nginx.url("file")) { $0.usesLargeBuffers = large }
        let end = try run.end()
        #expect(end.answer?.status == 200)
        #expect(end.answer?.httpVersion == "1.1")
        #expect(end.answer?.finalURL == nginx.url("file"))
        #expect(end.answer?.bodyStart == [])
        #expect(end.reached == Int64(size))
        #expect(try run.content() == TestFiles.read(nginx.path("file")))
    }

    @Test func `a file of many turns arrives whole`() throws {
        let nginx = try NginxServer()
        try EngineHarness.makeLongFile(nginx.path("file"), bytes: 150_000_000)
        let run = try harness.download(nginx.url("file")) { $0.usesLargeBuffers = true }
        #expect(try run.end(within: 60).reached == 150_000_000)
        #expect(try FileHasher.sha256(of: run.request.fileDescriptor) == TestFiles.sha256(nginx.path("file")))
    }

    @Test func `the head of a large body is told before its end, that of a small one is not`() throws {
        let large = FaultFile(random: 1_048_577, seed: 1)
        server.script("/large", .file(large))
        server.script("/small", .file(FaultFile(random: 1_048_576, seed: 2)))
        let runs = (try harness.download(server.url("/large")), try harness.download(server.url("/small")))
        _ = (try runs.0.end(), try runs.1.end())
        #expect(
            runs.0.events.first
                == .receiving(runs.0.request.key, validator: .strongETag("\"one\""), total: 1_048_577)
        )
        #expect(runs.1.events.count == 1)
    }

    @Test func `progress is coalesced and leads to the end`() throws {
        server.script("/slow", .file(FaultFile(random: 1_500_000, seed: 1), rate: 1_000_000))
        let run = try harness.download(server.url("/slow"))
        let begun = TimeLimit.now
        #expect(try run.end().reached == 1_500_000)
        let seconds = TimeLimit.now - begun
        let done = run.progress.map(\.bytesDone)
        #expect(done.count >= 2)
        #expect(Double(done.count) <= seconds / 0.25 + 1)
        #expect(done == done.sorted())
        #expect(run.progress.allSatisfy { $0.bytesTotal == 1_500_000 })
    }

    @Test func `a body without a length is whole when the connection ends`() throws {
        let file = FaultFile(random: 300_000, seed: 3)
        server.script("/old", .untilClose(file))
        let run = try harness.download(server.url("/old"))
        let end = try run.end()
        #expect(end.answer?.httpVersion == "1.0")
        #expect(end.reached == 300_000)
        #expect(try run.content() == file.bytes)
        #expect(run.events.first == .receiving(run.request.key, validator: .strongETag("\"one\""), total: nil))
    }

    @Test func `a chunked body is put together`() throws {
        server.script(
            "/chunked",
            FaultAnswer {
                try $0.sendHead(200, [HeaderField(name: "Transfer-Encoding", value: "chunked")])
                try $0.send("5\r\nhello\r\n7\r\n, world\r\n0\r\nTrailer: x\r\n\r\n")
            }
        )
        let run = try harness.download(server.url("/chunked"))
        let end = try run.end()
        #expect(end.answer?.headers["Trailer"] == nil)
        #expect(try run.content() == Array("hello, world".utf8))
    }

    @Test func `HEAD gives the headers and an empty file`() throws {
        server.script("/file", .file(FaultFile(random: 5000, seed: 1)))
        let run = try harness.download(server.url("/file")) { $0.spec.method = "HEAD" }
        let end = try run.end()
        #expect(end.answer?.headers["Content-Length"] == "5000")
        #expect(end.reached == 0)
        #expect(server.requests.map(\.method) == ["HEAD"])
    }

    @Test func `a response without content makes an empty file`() throws {
        server.script("/none", FaultAnswer { try $0.sendHead(204) })
        let run = try harness.download(server.url("/none"))
        #expect(try run.end().answer?.status == 204)
        #expect(try run.content().isEmpty)
    }

    @Test func `the text of an error fills the file when every response is final`() throws {
        server.script("/gone", .status(404, body: "no such page"))
        let run = try harness.download(server.url("/gone"))
        let end = try run.end()
        #expect(end.answer?.status == 404)
        #expect(end.answer?.bodyStart == [])
        #expect(try run.content() == Array("no such page".utf8))
    }

    @Test func `the text of an error is part of the answer when errors are failures`() throws {
        server.script("/gone", .status(404, body: "no such page"))
        let run = try harness.download(server.url("/gone")) { $0.spec.statusPolicy = .retryTransientAndFailOnError }
        let end = try run.end()
        #expect(end.answer?.status == 404)
        #expect(end.answer?.bodyStart == Array("no such page".utf8))
        #expect(try run.content().isEmpty)
    }

    @Test func `an error's endless text is cut off and still an answer`() throws {
        server.script(
            "/error",
            FaultAnswer { exchange in
                try exchange.sendHead(500)
                while true { try exchange.send([UInt8](repeating: 0x2E, count: 65_536)) }
            }
        )
        let run = try harness.download(server.url("/error")) { $0.spec.statusPolicy = .retryTransientAndFailOnError }
        let end = try run.end()
        #expect(end.answer?.status == 500)
        #expect(end.answer?.bodyStart.count == Answer.bodyStartLimit)
    }

    @Test func `a date to retry at becomes seconds by the server's own clock`() throws {
        let headers = [
            HeaderField(name: "Date", value: "Fri, 02 Jan 2026 00:00:00 GMT"),
            HeaderField(name: "Retry-After", value: "Fri, 02 Jan 2026 00:02:00 GMT"),
        ]
        server.script("/busy", .status(503, headers))
        let end = try harness.download(server.url("/busy")).end()
        #expect(end.answer?.headers["Retry-After"] == "120")
    }

    @Test func `a number of seconds to retry after stays as it is`() throws {
        server.script("/busy", .busy(429, retryAfter: "7"))
        #expect(try harness.download(server.url("/busy")).end().answer?.headers["Retry-After"] == "7")
    }

    @Test func `a file that does not fit on the disk is refused before a byte is written`() throws {
        server.script(
            "/huge",
            FaultAnswer { exchange in
                try exchange.sendHead(200, [HeaderField(name: "Content-Length", value: "\(Int64(1) << 59)")])
                try exchange.sendBody([UInt8](repeating: 1, count: 100_000)[...])
                exchange.stall()
            }
        )
        let run = try harness.download(server.url("/huge"))
        let end = try run.end()
        #expect(end.failure?.code == .diskFull)
        #expect(end.reached == 0)
        #expect(try run.content().isEmpty)
    }

    @Test func `a disk that fills up while the file arrives is a full disk`() throws {
        // /dev/full answers every write with ENOSPC, but cannot be truncated: a file limit cannot be lowered for one
        // thread, so a small tmpfs it is.
        let mount = harness.directory.path("small")
        try TestFiles.makeDirectory(mount)
        try #require(Glibc.mount("tmpfs", mount, "tmpfs", 0, "size=256k") == 0)
        defer { umount(mount) }
        server.script("/file", .untilClose(FaultFile(random: 1_000_000, seed: 1)))
        let path = mount + "/target"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        let run = try harness.download(server.url("/file")) {
            close($0.fileDescriptor)
            $0.fileDescriptor = dup(file)
            $0.filePath = path
        }
        let end = try run.end()
        #expect(end.failure?.code == .diskFull)
        #expect(end.reached == TestFiles.size(path))
        #expect(end.reached > 0)
    }

    @Test func `a target that cannot be written says so`() throws {
        server.script("/file", .file(FaultFile(random: 100, seed: 1)))
        let run = try harness.download(server.url("/file")) {
            close($0.fileDescriptor)
            $0.fileDescriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        }
        #expect(try run.end().failure?.code == .targetNotWritable)
    }
}
