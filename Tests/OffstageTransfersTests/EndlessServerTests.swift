// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Servers that send endlessly: each attempt ends by itself, and the other transfers continue.
@Suite struct EndlessServerTests {
    private let harness: EngineHarness
    private let server: FaultServer

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
    }

    /// Sends a head, and then bytes for as long as the client reads.
    private func endless(_ status: Int, _ headers: [HeaderField] = [], readsBody: Bool = false) -> FaultAnswer {
        FaultAnswer { exchange in
            if readsBody { try exchange.readBody() }
            try exchange.sendHead(status, headers)
            let bytes = [UInt8](repeating: 0x2E, count: 262_144)
            while true { try exchange.send(bytes) }
        }
    }

    private func expectOthersArrive() throws {
        server.script("/other", .file(FaultFile(random: 100_000, seed: 9)))
        #expect(try harness.download(server.url("/other")).end().answer?.status == 200)
    }

    private func spool(_ name: String) -> String { harness.directory.path(name) }

    private func upload(_ change: @escaping (inout EngineRequest) -> Void = { _ in }) throws -> EngineRun {
        let path = try harness.makeFile("source", bytes: 10_000)
        return try harness.upload(path, to: server.url("/in")) {
            EngineHarness.ofSession(&$0)
            $0.bodySpoolPath = spool("response-ab-7.body")
            change(&$0)
        }
    }

    @Test func `an answer to an app's upload without end is ended, and nothing of it is left`() throws {
        server.script("/in", endless(200, readsBody: true))
        let end = try upload().end()
        #expect(end.failure?.code == .badServerResponse)
        #expect(end.failure?.detail.contains("\(AnswerBudget.perAnswer)") == true)
        #expect(!TestFiles.exists(spool("response-ab-7.body")))
        try expectOthersArrive()
    }

    @Test func `answers that an app never takes have a limit together`() throws {
        let kept = open(spool("response-ab-3.body"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(ftruncate(kept, off_t(AnswerBudget.perOwner)) == 0)
        close(kept)
        server.script("/in", endless(200, readsBody: true))
        let end = try upload().end()
        #expect(end.failure?.code == .diskFull)
        #expect(!TestFiles.exists(spool("response-ab-7.body")))
        #expect(TestFiles.exists(spool("response-ab-3.body")))
    }

    @Test(.enabled(if: geteuid() == 0, "needs root to mount a small disk"))
    func `a download without end leaves a part of the disk free`() throws {
        let mount = harness.directory.path("small")
        try TestFiles.makeDirectory(mount)
        try #require(Glibc.mount("tmpfs", mount, "tmpfs", 0, "size=64m") == 0)
        defer { umount(mount) }
        server.script("/file", endless(200))
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
        #expect(end.failure?.detail.contains("bytes are free") == true)
        var space = statvfs()
        #expect(fstatvfs(file, &space) == 0)
        let free = Int64(space.f_bavail) * Int64(space.f_frsize)
        #expect(free > 1 << 20 && free <= 4 << 20)
    }

    @Test func `a redirect with a body without end is ended`() throws {
        // Without a length, libcurl continues with the next request at once.
        let length = HeaderField(name: "Content-Length", value: "4000000000000")
        server.script("/loop", endless(302, [HeaderField(name: "Location", value: "/other"), length]))
        let end = try harness.download(server.url("/loop")).end()
        #expect(end.failure?.code == .badServerResponse)
        try expectOthersArrive()
    }

    @Test func `a proxy's answer without end holds up nobody`() throws {
        let proxy = try FaultServer()
        proxy.script("127.0.0.1:9", endless(407, [HeaderField(name: "Content-Length", value: "4000000000000")]))
        let run = try harness.download("https://127.0.0.1:9/") { $0.spec.proxy.all = proxy.url("") }
        try expectOthersArrive()
        #expect(try run.end().failure?.code == .proxyFailed)
    }

    @Test(arguments: ["gzip, chunked", "gzip", "x-bomb, chunked"])
    func `a transfer coding that nobody asked for is refused`(coding: String) throws {
        server.script(
            "/file",
            FaultAnswer { exchange in
                try exchange.sendHead(200, [HeaderField(name: "Transfer-Encoding", value: coding)])
                try exchange.send("5\r\nhello\r\n0\r\n\r\n")
                exchange.close()
            }
        )
        let run = try harness.download(server.url("/file"))
        #expect(try run.end().failure != nil)
        #expect(try run.content().isEmpty)
    }

    @Test func `a file that comes a byte a chunk leaves the others their turn`() throws {
        server.script(
            "/slow",
            FaultAnswer { exchange in
                try exchange.sendHead(200, [HeaderField(name: "Transfer-Encoding", value: "chunked")])
                let chunks = Array(String(repeating: "1\r\n.\r\n", count: 20_000).utf8)
                while true { try exchange.send(chunks) }
            }
        )
        let run = try harness.download(server.url("/slow")) { $0.usesLargeBuffers = true }
        try run.waitForProgress(beyond: 1000)
        try expectOthersArrive()
        run.stop()
        try run.waitForRelease()
    }

    @Test func `a thousand header fields go out whole and in order`() throws {
        server.script("/file", .status(200, body: "x"))
        let names = (0..<1000).map { "X-Field-\($0)" }
        let run = try harness.download(server.url("/file")) {
            $0.spec.headers = names.map { HeaderField(name: $0, value: "v") }
        }
        #expect(try run.end().answer?.status == 200)
        let sent = try #require(server.requests.first).headers.map(\.name).filter { $0.hasPrefix("X-Field-") }
        #expect(sent == names)
    }

    @Test func `what is stored beyond the limits fails with a reason before its attempt`() throws {
        var spec = TransferSpec(
            direction: .download(.init(path: harness.directory.path("target"))),
            url: try RequestURL(server.url("/file")),
            owner: "command"
        )
        spec.headers = (0..<2000).map { HeaderField(name: "X-\($0)", value: "v") }
        let moment = Moment(wall: .init(timeIntervalSince1970: 0), bootID: "boot", uptime: 1)
        let transfer = Transfer(id: TransferID(rawValue: 1), spec: spec, now: moment)
        let opened = AttemptFiles.open(transfer, storeToken: "ab", bootID: "boot", resumableFolder: "/nowhere")
        guard case .failure(let failure) = opened else {
            Issue.record("It was opened.")
            return
        }
        #expect(failure.code == .requestTooLarge)
        #expect(failure.retryClass == .permanent)
        #expect(TestFiles.names(in: harness.directory.path).isEmpty)
    }
}
