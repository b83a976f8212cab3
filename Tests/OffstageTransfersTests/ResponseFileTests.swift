// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// The bodies of responses to uploads, of any length, and the other parts of an answer.
struct ResponseFileTests {
    let harness: EngineHarness
    let server: FaultServer

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
    }

    private var bodyPath: String {
        ResponseFile.path(folder: harness.directory.path, id: TransferID(rawValue: 7), storeToken: "ab")
    }

    private var isThere: Bool { access(bodyPath, F_OK) == 0 }

    private func upload(
        _ answer: FaultAnswer,
        _ change: (inout EngineRequest) -> Void = { _ in }
    ) throws -> EngineRun {
        server.script("/in", answer)
        let path = try harness.makeFile("source", bytes: 10_000)
        return try harness.upload(path, to: server.url("/in")) {
            EngineHarness.ofSession(&$0)
            $0.bodySpoolPath = bodyPath
            change(&$0)
        }
    }

    private func responds(_ body: [UInt8], status: Int = 200) -> FaultAnswer {
        FaultAnswer {
            try $0.readBody()
            try $0.respond(status, body: body)
        }
    }

    @Test(arguments: [0, 1, 65_536, 65_537, 200_000, 5_000_000], [200, 500])
    func `a body is there whole, in the answer or in a file`(count: Int, status: Int) throws {
        let body = FaultFile(random: count, seed: 3).bytes
        let answer = try #require(try upload(responds(body, status: status)).end().answer)
        #expect(answer.status == status)
        #expect(answer.bodyStart == Array(body.prefix(65_536)))
        if count > Answer.bodyStartLimit {
            #expect(answer.bodyPath == bodyPath)
            #expect(try TestFiles.read(bodyPath) == body)
        } else {
            #expect(answer.bodyPath == nil)
            #expect(!isThere)
        }
    }

    @Test func `with a bandwidth limit it is whole too`() throws {
        let body = FaultFile(random: 400_000, seed: 3).bytes
        let run = try upload(responds(body)) { $0.rateLimit = 1_000_000 }
        #expect(try run.end().answer?.bodyPath == bodyPath)
        #expect(try TestFiles.read(bodyPath) == body)
    }

    @Test func `the file of an earlier attempt goes`() throws {
        try TestFiles.write("of another attempt", to: bodyPath)
        #expect(try upload(responds([1, 2])).end().answer?.bodyPath == nil)
        #expect(!isThere)
    }

    @Test func `a body that breaks off leaves nothing`() throws {
        let run = try upload(
            FaultAnswer {
                try $0.readBody()
                try $0.sendHead(200, [HeaderField(name: "Content-Length", value: "300000")])
                try $0.sendBody([UInt8](repeating: 1, count: 200_000)[...])
                $0.close()
            }
        )
        #expect(try run.end().failure?.code == .connectionLost)
        #expect(!isThere)
    }

    @Test func `an attempt that is broken off leaves nothing`() throws {
        let run = try upload(
            FaultAnswer {
                try $0.readBody()
                try $0.sendHead(200, [HeaderField(name: "Content-Length", value: "300000")])
                try $0.sendBody([UInt8](repeating: 1, count: 200_000)[...])
                $0.stall()
            }
        )
        try eventually("the body begins to arrive") { isThere ? true : nil }
        run.stop()
        try run.waitForRelease()
        #expect(!isThere)
    }

    @Test func `the body of a challenge is nobody's`() throws {
        let offer = HeaderField(name: "WWW-Authenticate", value: #"Basic realm="r""#)
        let run = try upload(
            FaultAnswer {
                try $0.readBody()
                try $0.respond(401, [offer], body: [UInt8](repeating: 1, count: 200_000))
            }
        )
        #expect(try run.end().challenge != nil)
        #expect(!isThere)
    }

    @Test func `a folder that is gone is named`() throws {
        let missing = harness.directory.path("missing/body")
        let run = try upload(responds([UInt8](repeating: 1, count: 100_000))) { $0.bodySpoolPath = missing }
        let failure = try run.end().failure
        #expect(failure?.code == .targetDirectoryMissing)
        #expect(failure?.detail.contains(missing) == true)
    }

    @Test func `nothing is written where nobody asked for it`() throws {
        let run = try upload(responds([UInt8](repeating: 1, count: 100_000))) { $0.bodySpoolPath = nil }
        #expect(try run.end().answer?.bodyPath == nil)
        #expect(!isThere)
    }

    @Test func `an answer tells how it came`() throws {
        let file = FaultFile(random: 10, seed: 1)
        server.script("/a", .redirect(to: "/b"))
        server.script("/b", .redirect(to: "/c"))
        server.script("/c", .file(file))
        let first = try #require(try harness.download(server.url("/a")).end().answer)
        #expect(first.redirectCount == 2)
        #expect(first.remoteAddress == "127.0.0.1")
        #expect(first.remotePort == Int(server.port))
        #expect(first.isConnectionReused == false)
        let second = try #require(try harness.download(server.url("/c")).end().answer)
        #expect(second.redirectCount == 0)
        #expect(second.isConnectionReused == true)
    }
}
