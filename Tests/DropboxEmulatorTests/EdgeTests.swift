// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import Glibc
import OffstageTestSupport
import Testing

/// The emulator over real sockets.
@Suite struct EdgeTests {
    let server: DropboxEmulatorServer
    let token: String

    init() throws {
        server = try DropboxEmulatorServer()
        token = server.issueToken().access
    }

    private func cursor(_ session: String, _ offset: Int) -> EmulatorJSON {
        ["session_id": .string(session), "offset": .integer(Int64(offset))]
    }

    private func startSession(_ client: EmulatorClient) throws -> String {
        try client.call(.start, [:], token: token)?.json["session_id"].string ?? ""
    }

    @Test func `a file goes up in chunks on one connection and comes down again`() throws {
        var random = SeededGenerator(seed: 1)
        let bytes = random.bytes(9_000_001)
        let client = try EmulatorClient(server)
        let session = try startSession(client)
        var offset = 0
        for size in [4_194_304, 3, 1_000_000] {
            let chunk = Array(bytes[offset..<offset + size])
            let argument: EmulatorJSON = [
                "cursor": cursor(session, offset), "content_hash": .string(ContentHasher.contentHash(of: chunk)),
            ]
            #expect(try client.call(.append, argument, token: token, chunk)?.text == "null")
            offset += size
        }
        let argument: EmulatorJSON = ["cursor": cursor(session, offset), "commit": ["path": "/big"]]
        let done = try client.call(.finish, argument, token: token, Array(bytes[offset...]))
        #expect(done?.json["content_hash"].string == ContentHasher.contentHash(of: bytes))
        #expect(server.file("/BIG")?.size == 9_000_001)
        try client.sendHead(
            "POST",
            "/2/files/download",
            headers: ["Authorization": "Bearer \(token)", "Dropbox-API-Arg": #"{"path":"/big"}"#],
            length: 0
        )
        let down = try client.answer()
        #expect(down?.status == 200)
        #expect(down?.body == bytes)
        try client.sendHead(
            "GET",
            "/2/files/download?arg=%7B%22path%22%3A%22%2Fbig%22%7D",
            headers: ["Authorization": "Bearer \(token)", "Range": "bytes=4194300-4194309"],
            length: 0
        )
        let part = try client.answer()
        #expect(part?.status == 206)
        #expect(part?.body == Array(bytes[4_194_300..<4_194_310]))
    }

    @Test func `many connections upload at once`() throws {
        let count = Monitor(0)
        for number in 0..<8 {
            let (server, token) = (server, token)
            try TestThread.start {
                let body = [UInt8](repeating: UInt8(number), count: 500_000 + number)
                let client = try? EmulatorClient(server)
                let answer = try? client?.call(.upload, ["path": .string("/f\(number)")], token: token, body)
                if answer?.json["content_hash"].string == ContentHasher.contentHash(of: body) {
                    count.withLock { $0 += 1 }
                }
            }
        }
        #expect(count.wait(TimeLimit(seconds: 30)) { $0 == 8 ? true : nil } == true)
        #expect(server.files.count == 8)
    }

    @Test(arguments: [DropboxFault.lostBefore, .lostAfter])
    func `a lost reply closes the connection without a byte`(fault: DropboxFault) throws {
        server.setFaults([DropboxFaultRule(fault, on: .upload, .call(1))])
        let body = [UInt8](repeating: 1, count: 100_000)
        #expect(try EmulatorClient(server).call(.upload, ["path": "/a"], token: token, body) == nil)
        #expect(server.files.count == (fault == .lostAfter ? 1 : 0))
        #expect(server.record.bodyBytes(.upload) == 100_000)
        #expect(try EmulatorClient(server).call(.upload, ["path": "/a"], token: token, body)?.status == 200)
        #expect(server.files.count == 1)
        #expect(server.record.bytesReceivedTwice == 100_000)
    }

    @Test(arguments: [false, true])
    func `a cut at a byte reads exactly so many`(keep: Bool) throws {
        let client = try EmulatorClient(server)
        let session = try startSession(client)
        server.setFaults([DropboxFaultRule(.cut(at: 1_234_567, keep: keep), on: .append, .call(1))])
        let argument: EmulatorJSON = ["cursor": cursor(session, 0)]
        let body = [UInt8](repeating: 7, count: 3_000_000)
        #expect(try client.call(.append, argument, token: token, body) == nil)
        #expect(server.record.bodyBytes(.append) == 1_234_567)
        let next = try EmulatorClient(server)
        let told = try next.call(.append, ["cursor": cursor(session, 3_000_000)], token: token)
        #expect(told?.json["error"]["correct_offset"].integer == (keep ? 1_234_567 : 0))
        let offset = keep ? 1_234_567 : 0
        let done: EmulatorJSON = ["cursor": cursor(session, offset), "commit": ["path": "/a"]]
        let answer = try next.call(.finish, done, token: token, Array(body[offset...]))
        #expect(answer?.json["content_hash"].string == ContentHasher.contentHash(of: body))
    }

    @Test func `a request without a body is cut too, and one that ends before the cut is not`() throws {
        server.setFaults([DropboxFaultRule(.cut(at: 0, keep: false), on: .start, .call(1))])
        #expect(try EmulatorClient(server).call(.start, [:], token: token) == nil)
        #expect(server.faultsUsed == 1)
        server.setFaults([DropboxFaultRule(.cut(at: 4, keep: false), on: .start)])
        #expect(try EmulatorClient(server).call(.start, [:], token: token, [1, 2, 3])?.status == 200)
        #expect(server.faultsUsed == 0)
        #expect(try EmulatorClient(server).call(.start, [:], token: token, [1, 2, 3, 4]) == nil)
        #expect(server.faultsUsed == 1)
        #expect(server.record.answers["files/upload_session/start"] == ["lost": 2, "200": 1])
    }

    @Test(arguments: [false, true])
    func `a client that goes away is counted, and its bytes stay by the rule`(keeps: Bool) throws {
        server.setRules { $0.keepsPrefix = keeps }
        let session = try startSession(EmulatorClient(server))
        do {
            let client = try EmulatorClient(server)
            try client.sendCall(.append, ["cursor": cursor(session, 0)], token: token, length: 1_000_000)
            try client.send([UInt8](repeating: 1, count: 300_000))
        }
        try eventually("the broken request is over") { server.record.answers["files/upload_session/append_v2"] }
        #expect(server.record.bodyBytes(.append) == 300_000)
        let told = try EmulatorClient(server).call(.append, ["cursor": cursor(session, 5)], token: token)
        #expect(told?.json["error"]["correct_offset"].integer == (keeps ? 300_000 : 0))
    }

    @Test func `an answer waits for the latency, and a body for its rate`() throws {
        server.setRules { $0.latency = 0.2 }
        server.setFaults([DropboxFaultRule(.slow(latency: 0.1, bytesPerSecond: 1_000_000), on: .upload, .call(1))])
        let began = TimeLimit.now
        let body = [UInt8](repeating: 1, count: 400_000)
        #expect(try EmulatorClient(server).call(.upload, ["path": "/a"], token: token, body)?.status == 200)
        let seconds = TimeLimit.now - began
        #expect((0.69...5).contains(seconds), "\(seconds)")
    }

    @Test func `a rate holds for the sink and for a session of many calls alike`() throws {
        server.setRules { $0.bytesPerSecond = 1_000_000 }
        let client = try EmulatorClient(server)
        let session = try startSession(client)
        var began = TimeLimit.now
        for number in 0..<4 {
            let chunk = [UInt8](repeating: 1, count: 100_000)
            _ = try client.call(.append, ["cursor": cursor(session, number * 100_000)], token: token, chunk)
        }
        let inSession = TimeLimit.now - began
        began = TimeLimit.now
        try client.sendHead("PUT", "/emulator/sink", length: 400_000)
        try client.send([UInt8](repeating: 1, count: 400_000))
        #expect(try client.answer()?.json["size"] == 400_000)
        let inSink = TimeLimit.now - began
        #expect((0.39...5).contains(inSession) && (0.39...5).contains(inSink), "\(inSession), \(inSink)")
    }

    @Test func `a server that stops does not wait for its delays`() throws {
        server.setRules { $0.latency = 3600 }
        let client = try EmulatorClient(server)
        try client.sendCall(.upload, ["path": "/a"], token: token, length: 1)
        try client.send([1])
        try eventually("the file is there") { server.file("/a") }
        let began = TimeLimit.now
        server.stop()
        #expect(TimeLimit.now - began < 10)
        #expect(try client.answer() == nil)
        #expect(throws: TestError.self) { try EmulatorClient(server) }
    }

    @Test func `the sink hashes what it throws away`() throws {
        let body = [UInt8](repeating: 3, count: 5_000_000)
        for method in ["PUT", "POST"] {
            let client = try EmulatorClient(server)
            try client.sendHead(method, "/emulator/sink", length: body.count)
            try client.send(body)
            let answer = try client.answer()
            #expect(answer?.json["size"] == 5_000_000)
            #expect(answer?.json["content_hash"].string == ContentHasher.contentHash(of: body))
        }
        #expect(server.record.sinkBytes == 10_000_000)
        #expect(try EmulatorClient(server).request("GET", "/emulator/sink")?.status == 405)
    }

    @Test func `only the loopback is listened on`() throws {
        let lines = String(decoding: try TestFiles.read("/proc/net/tcp"), as: UTF8.self).split(separator: "\n")
        let port = String(server.port, radix: 16, uppercase: true)
        let suffix = ":" + String(repeating: "0", count: 4 - port.count) + port
        let listening = lines.map { $0.split(separator: " ") }.filter { $0.count > 3 && $0[3] == "0A" }
        #expect(listening.map { String($0[1]) }.filter { $0.hasSuffix(suffix) } == ["0100007F" + suffix])
    }

    @Test func `a port that is taken is an error that says so`() throws {
        var configuration = DropboxEmulatorServer.Configuration()
        configuration.port = server.port
        #expect(throws: DropboxEmulatorError.self) { try DropboxEmulatorServer(configuration) }
    }

    @Test func `bytes lie in the folder that was given, and go`() throws {
        let folder = try TemporaryDirectory()
        var configuration = DropboxEmulatorServer.Configuration()
        configuration.folder = folder.path("bytes")
        let server = try DropboxEmulatorServer(configuration)
        let token = server.issueToken().access
        #expect(try EmulatorClient(server).call(.upload, ["path": "/a"], token: token, [1, 2])?.status == 200)
        #expect(TestFiles.names(in: folder.path("bytes")).count == 1)
        #expect(try EmulatorClient(server).call(.upload, ["path": "/a"], token: token, [3])?.status == 409)
        server.reset()
        #expect(TestFiles.names(in: folder.path("bytes")).isEmpty)
    }

    @Test func `two in one folder leave each other's bytes alone, also after a reset`() throws {
        let folder = try TemporaryDirectory()
        var configuration = DropboxEmulatorServer.Configuration()
        configuration.folder = folder.path("bytes")
        let servers = try [DropboxEmulatorServer(configuration), DropboxEmulatorServer(configuration)]
        servers[0].reset()
        let tokens = servers.map { $0.issueToken().access }
        for (index, server) in servers.enumerated() {
            let body = [UInt8](repeating: UInt8(index), count: 10)
            _ = try EmulatorClient(server).call(.upload, ["path": "/a"], token: tokens[index], body)
        }
        for (index, server) in servers.enumerated() {
            let down = try EmulatorClient(server).call(.download, ["path": "/a"], token: tokens[index])
            #expect(down?.status == 200)
            #expect(down?.body == [UInt8](repeating: UInt8(index), count: 10))
        }
    }

    @Test func `what is discarded has its hash and no bytes`() throws {
        var configuration = DropboxEmulatorServer.Configuration()
        configuration.discards = true
        let server = try DropboxEmulatorServer(configuration)
        let token = server.issueToken().access
        let client = try EmulatorClient(server)
        let answer = try client.call(.upload, ["path": "/a"], token: token, Array("hello".utf8))
        #expect(answer?.json["content_hash"].string == ContentHasher.contentHash(of: Array("hello".utf8)))
        #expect(try client.call(.download, ["path": "/a"], token: token)?.status == 501)
    }
}
