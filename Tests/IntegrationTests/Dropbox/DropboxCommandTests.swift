// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Uploads to Dropbox as a person sees them: the command, the daemon and an emulated account.
@Suite struct `Uploads to Dropbox by command` {
    private let daemon: DaemonFixture
    private let emulator: DropboxEmulatorServer

    init() throws {
        daemon = try DaemonFixture()
        emulator = try DropboxEmulatorServer()
        try daemon.signIn(to: emulator)
    }

    private func makeFile(_ name: String, bytes: Int) throws {
        try TestFiles.makeRandom(daemon.path(name), bytes: bytes, seed: UInt64(bytes))
    }

    /// Lets a session be opened and filled, and delays its last chunk.
    private func limitLastChunk() {
        emulator.setFaults([
            .init(.rateLimited(retryAfter: 3600, plain: false, reason: "too_many_requests"), on: .finish, .call(1))
        ])
    }

    @Test func `a small file is there, and the command says so`() throws {
        try makeFile("a.bin", bytes: 100_000)
        let result = try daemon.run("upload", "a.bin", "dropbox:/Photos/")
        #expect(result.isSuccess, "\(result)")
        #expect(result.output.contains("a.bin → dropbox:/Photos/a.bin"), "\(result)")
        #expect(emulator.file("/photos/A.bin")?.size == 100_000)
        #expect(emulator.record.calls(.upload) == 1)
        let shown = try daemon.run("show", "1").output
        #expect(shown.contains("To:           dropbox:/Photos/a.bin"), "\(shown)")
        #expect(!shown.contains("Bearer"))
        let row = try daemon.show(1)
        #expect(row.url.string == "dropbox:/Photos/a.bin" && row.dialect.string == "dropbox")
    }

    @Test func `modes and names are Dropbox's`() throws {
        try makeFile("a.bin", bytes: 1000)
        #expect(try daemon.run("upload", "a.bin", "dropbox:/a").isSuccess)
        try makeFile("a.bin", bytes: 2000)
        let conflict = try daemon.run("upload", "a.bin", "dropbox:/a")
        expectSentence(conflict, code: 1, "another file is already at dropbox:/a")
        let renamed = try daemon.run("upload", "--autorename", "a.bin", "dropbox:/a")
        #expect(renamed.isSuccess)
        #expect(emulator.files.map(\.size).sorted() == [1000, 2000])
        #expect(emulator.file("/a (1)")?.size == 2000)
        #expect(renamed.output.contains("done: a.bin → dropbox:/a (1), "), "\(renamed)")
        #expect(try daemon.show(3).options.string == "add, autorename")
        #expect(try daemon.show(3).url.string == "dropbox:/a (1)")
        #expect(try daemon.run("show", "3").output.contains("To:           dropbox:/a (1)\n"))
        #expect(try daemon.json("list", "--text", "/a (1)").transfers.array.map(\.id.integer) == [3])
        try daemon.killDaemon()
        #expect(try daemon.show(3).url.string == "dropbox:/a (1)", "a new daemon knows it as well")
        #expect(try daemon.run("upload", "--mode", "overwrite", "a.bin", "dropbox:/a").isSuccess)
        #expect(try daemon.run("show", "4").output.contains("overwrite"))
        #expect(emulator.file("/a")?.size == 2000)
        let revision = try #require(emulator.file("/a")?.rev)
        try makeFile("a.bin", bytes: 3000)
        #expect(try daemon.run("upload", "--mode", "update=\(revision)", "a.bin", "dropbox:/a").isSuccess)
        try makeFile("b.bin", bytes: 4000)
        expectSentence(
            try daemon.run("upload", "--mode", "update=\(revision)", "--snapshot", "b.bin", "dropbox:/a"),
            code: 1,
            "another file is already at dropbox:/a"
        )
        #expect(emulator.file("/a")?.size == 3000)
    }

    @Test func `a directory goes below its folder`() throws {
        for name in ["d", "d/ü"] { try TestFiles.makeDirectory(daemon.path(name)) }
        try makeFile("d/1.bin", bytes: 10)
        try makeFile("d/ü/2 #?%.bin", bytes: 20)
        #expect(try daemon.run("upload", "d", "dropbox:/In/").isSuccess)
        #expect(emulator.files.map(\.displayPath).sorted() == ["/In/1.bin", "/In/ü/2 #?%.bin"])
    }

    @Test func `what it waits for is said, how much is stored, and what to do`() throws {
        try makeFile("big.bin", bytes: 20 << 20)
        limitLastChunk()
        let id = try daemon.submit("upload", "big.bin", "dropbox:/big")
        try daemon.watch(id, for: "its wait") { $0.kind == .waiting }
        let why = try daemon.run("why", "\(id)").output
        #expect(why.contains("too many requests from the account 'dropbox'"), "\(why)")
        #expect(why.contains("8.00 MiB of 20.0 MiB are stored in an upload session"), "\(why)")
        #expect(why.contains("next check"), "\(why)")
        #expect(try daemon.run("list").output.contains("dropbox:/big"))
        #expect(try daemon.show(id).standing.string == "8.00 MiB of 20.0 MiB are stored in an upload session")
        #expect(try daemon.run("retry", "\(id)").isSuccess)
        #expect(try daemon.wait(id).isSuccess)
        #expect(emulator.file("/big")?.size == 20 << 20)
        #expect(emulator.record.commits == 1)
        #expect(emulator.record.chunksReceivedTwice <= 1, "what was not taken is sent again")
        #expect(try daemon.show(id).standing.string == nil, "there is nothing to add once it is there")
    }

    @Test func `an account whose access was withdrawn says sign in again, and a retry goes on`() throws {
        try makeFile("a.bin", bytes: 9 << 20)
        emulator.setFaults((1...2).map { .init(.unauthorized("invalid_access_token"), on: .append, .call($0)) })
        let result = try daemon.run("upload", "a.bin", "dropbox:/a")
        expectSentence(result, code: 1, "does not accept the token of the account 'dropbox'")
        let why = try daemon.run("why", "1").output
        #expect(why.contains("sign in with 'offstage account add'"), "\(why)")
        try daemon.signIn(to: emulator)
        #expect(try daemon.run("retry", "1").isSuccess)
        #expect(try daemon.wait(1).isSuccess)
        #expect(emulator.file("/a")?.size == 9 << 20)
    }

    @Test func `a killed daemon goes on where it was`() throws {
        try makeFile("big.bin", bytes: 40 << 20)
        let id = try daemon.submit("upload", "--limit-rate", "24M", "big.bin", "dropbox:/big")
        for bytes in [4, 12, 20] as [Int64] {
            try daemon.watchBytes(id, atLeast: bytes << 20)
            try daemon.killDaemon()
            try daemon.startOnDemand()
        }
        #expect(try daemon.wait(id).isSuccess)
        #expect(emulator.file("/big")?.size == 40 << 20)
        #expect(emulator.record.commits == 1)
        #expect(emulator.record.chunksReceivedTwice <= 3)
        #expect(emulator.record.calls(.start) == 1, "nothing is begun anew")
    }

    @Test func `a killed daemon goes on with the chunks that are missing, at the speed that its owner allows`() throws {
        try makeFile("big.bin", bytes: 64 << 20)
        let clock = ContinuousClock()
        let begin = clock.now
        let id = try daemon.submit(
            "upload",
            "--connections",
            "4",
            "--limit-rate",
            "24M",
            "big.bin",
            "dropbox:/big"
        )
        for bytes in [4, 20, 40] as [Int64] {
            try daemon.watchBytes(id, atLeast: bytes << 20)
            try daemon.killDaemon()
            try daemon.startOnDemand()
        }
        #expect(try daemon.wait(id).isSuccess)
        #expect(clock.now - begin > .seconds(2), "the limit is that of all chunks together")
        #expect(emulator.file("/big")?.size == 64 << 20)
        let record = emulator.record
        #expect(record.commits == 1)
        #expect(record.chunksReceivedTwice <= 3 * 4, "one for each connection and kill")
        #expect(record.calls(.start) == 1 && record.calls(.finish) == 1, "nothing is begun anew")
    }

    // MARK: - Where tokens go

    private func spec(_ change: (inout DropboxParameters) -> Void = { _ in }) throws -> TransferSpec {
        try makeFile("a.bin", bytes: 1000)
        let identity = try Self.identity(daemon.path("a.bin"))
        var parameters = DropboxParameters(account: "dropbox", path: "/a")
        change(&parameters)
        var spec = TransferSpec(
            direction: .upload(.init(path: daemon.path("a.bin"), identity: identity)),
            url: try parameters.url(),
            owner: "command"
        )
        spec.dialect = try parameters.dialectSpec()
        return spec
    }

    private static func identity(_ path: String) throws -> FileIdentity {
        var status = stat()
        guard stat(path, &status) == 0 else { throw TestError.system("\(path) cannot be looked at") }
        return FileIdentity(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        )
    }

    private func refusal(_ spec: TransferSpec) throws -> String {
        let client = try WireClient.greeted(daemon)
        do {
            _ = try client.send(SubmitTransfers(specs: [spec]))
            return "it was taken"
        } catch let failure as WireFailure {
            return failure.message
        }
    }

    @Test func `a place that the owner leaves to the account is the account's`() throws {
        let client = try WireClient.greeted(daemon)
        let reply = try client.send(SubmitTransfers(specs: [try spec()]))
        #expect(try daemon.wait(Int(try #require(reply.ids.first).rawValue)).isSuccess)
        #expect(emulator.file("/a")?.size == 1000)
    }

    @Test func `another place than the account's is refused`() throws {
        let other = try DropboxEmulatorServer()
        for isAPI in [true, false] {
            let sentence = try refusal(
                spec { if isAPI { $0.api = other.address + "/2" } else { $0.content = other.address + "/2" } }
            )
            #expect(sentence.contains("would not go to the account 'dropbox'"), "\(sentence)")
        }
        #expect(other.record.calls.isEmpty)
    }

    @Test func `an account that is added anew elsewhere gives its token to nobody's old upload`() throws {
        try makeFile("big.bin", bytes: 20 << 20)
        limitLastChunk()
        let id = try daemon.submit("upload", "big.bin", "dropbox:/big")
        try daemon.watch(id, for: "its wait") { $0.kind == .waiting }
        #expect(try daemon.run("account", "remove", "dropbox").isSuccess)
        let other = try DropboxEmulatorServer()
        try daemon.signIn(to: other)
        let calls = emulator.record.calls
        #expect(try daemon.run("retry", "\(id)").isSuccess)
        expectSentence(try daemon.wait(id), code: 1, "is on a different server")
        #expect(emulator.record.calls == calls, "its server has heard nothing more")
        #expect(other.record.calls(.append) == 0)
    }

    @Test func `dialects and parameters that are not known are refused`() throws {
        var unknown = try spec()
        unknown.dialect?.name = "carrier-pigeon"
        #expect(try refusal(unknown).contains("'carrier-pigeon' is not known to this daemon"))
        var broken = try spec()
        broken.dialect?.parameters = "{}"
        #expect(try refusal(broken).contains("cannot be decoded"))
        var download = try spec()
        download.direction = .download(.init(path: daemon.path("x")))
        #expect(try refusal(download).contains("one file at a time"))
        #expect(try refusal(spec { $0.account = "work" }).contains("There is no account 'work'"))
    }

    @Test func `a list says where a file really goes, whatever its owner says`() throws {
        var lying = try spec()
        lying.dialect?.destination = "dropbox:/elsewhere"
        let client = try WireClient.greeted(daemon)
        let id = Int(try #require(try client.send(SubmitTransfers(specs: [lying])).ids.first).rawValue)
        #expect(try daemon.show(id).url.string == "dropbox:/a")
    }
}
