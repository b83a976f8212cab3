// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Downloads that resume from a partial file.
struct ResumeTests {
    let harness: EngineHarness
    let server: FaultServer
    let file = FaultFile(random: 500_000, seed: 1)

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
    }

    private func known(
        _ validator: PartialDownload.Validator? = .strongETag("\"one\""),
        total: Int64? = 500_000
    ) -> PartialDownload {
        PartialDownload(validator: validator, totalBytes: total, bootID: "boot")
    }

    private func resume(
        _ path: String = "/file",
        at byte: Int = 200_000,
        _ known: PartialDownload? = nil
    ) throws -> EngineRun {
        try harness.download(server.url(path), partial: (file.bytes[..<byte], known ?? self.known()))
    }

    @Test func `the rest is asked for on condition that the file is the same`() throws {
        server.script("/file", .file(file))
        let run = try resume()
        let end = try run.end()
        #expect(end.answer?.status == 206)
        #expect(end.reached == 500_000)
        #expect(try run.content() == file.bytes)
        #expect(server.requests[0].headers["Range"] == "bytes=200000-")
        #expect(server.requests[0].headers["If-Range"] == "\"one\"")
        #expect(
            run.events.first == .receiving(run.request.key, validator: .strongETag("\"one\""), total: 500_000)
        )
    }

    @Test func `a real server sends the rest as well`() throws {
        let nginx = try NginxServer()
        try TestFiles.write(file.bytes, to: nginx.path("file"))
        let first = try harness.download(nginx.url("file"))
        let tag = try #require(try first.end().answer?.headers["ETag"])
        let partial = (file.bytes[..<123_456], known(.strongETag(tag)))
        let run = try harness.download(nginx.url("file"), partial: partial)
        #expect(try run.end().answer?.status == 206)
        #expect(try run.content() == file.bytes)
        let entries = try nginx.waitForEntries("/file", count: 2)
        #expect(entries[1].range == "bytes=123456-")
        #expect(entries[1].bytes == 500_000 - 123_456)
    }

    @Test func `a date is as good as a tag`() throws {
        let date = "Thu, 01 Jan 2026 00:00:00 GMT"
        var file = file
        (file.etag, file.lastModified) = (nil, date)
        server.script("/file", .file(file))
        let run = try resume("/file", at: 100, known(.lastModified(date)))
        #expect(try run.end().answer?.status == 206)
        #expect(server.requests[0].headers["If-Range"] == date)
    }

    @Test func `what lies behind the offset in the partial file is dropped`() throws {
        server.script("/file", .file(file))
        let run = try harness.download(
            server.url("/file"),
            partial: (file.bytes[..<200_000] + [UInt8](repeating: 0, count: 400_000)[...], known())
        ) { $0.offset = 200_000 }
        #expect(try run.end().reached == 500_000)
        #expect(try run.content() == file.bytes)
    }

    @Test func `a changed file is begun again, and the partial file is left alone`() throws {
        server.script("/file", .file(FaultFile(random: 500_000, seed: 2, etag: "\"two\"")))
        let run = try resume()
        let end = try run.end()
        #expect(end.result == .mustBeginAgain(serverIgnoresRanges: false))
        #expect(try run.content() == Array(file.bytes[..<200_000]))
    }

    @Test func `a server that ignores ranges is recognised`() throws {
        var file = file
        file.supportsRanges = false
        server.script("/file", .file(file))
        #expect(try resume().end().result == .mustBeginAgain(serverIgnoresRanges: true))
    }

    @Test func `a range beyond the end is begun again`() throws {
        server.script("/file", .rangeNotSatisfiable(file))
        #expect(try resume().end().result == .mustBeginAgain(serverIgnoresRanges: false))
    }

    @Test(arguments: [
        "bytes 100000-499999/500000", "bytes 200000-299999/500000", "bytes x-y/z", nil,
    ])
    func `a range that was not asked for is a lie`(contentRange: String?) throws {
        server.script("/file", .partial(contentRange: contentRange, body: [UInt8](repeating: 1, count: 300_000)))
        let run = try resume()
        let end = try run.end()
        #expect(end.failure?.code == .serverMisbehaves)
        #expect(end.reached == 200_000)
        #expect(try run.content() == Array(file.bytes[..<200_000]))
    }

    @Test func `a chunked rest that is longer than stated is a lie`() throws {
        server.script(
            "/file",
            FaultAnswer { exchange in
                try exchange.sendHead(
                    206,
                    [
                        HeaderField(name: "Content-Range", value: "bytes 200000-499999/500000"),
                        HeaderField(name: "ETag", value: "\"one\""),
                        HeaderField(name: "Transfer-Encoding", value: "chunked"),
                    ]
                )
                for _ in 0..<4 {
                    try exchange.send("186a0\r\n")
                    try exchange.send([UInt8](repeating: 1, count: 100_000))
                    try exchange.send("\r\n")
                }
                try exchange.send("0\r\n\r\n")
            }
        )
        let end = try resume().end()
        #expect(end.failure?.code == .serverMisbehaves)
        #expect(end.reached <= 500_000)
    }

    @Test func `a connection that breaks leaves what has arrived`() throws {
        server.script("/file", .cut(file, after: 100_000), .file(file))
        let run = try harness.download(server.url("/file"))
        let end = try run.end()
        #expect(end.failure?.code == .connectionLost)
        #expect(end.failure?.detail.contains("after 100000 of 500000 bytes") == true)
        #expect(end.reached == 100_000)
        let rest = try resume(at: Int(end.reached))
        #expect(try rest.end().reached == 500_000)
        #expect(try rest.content() == file.bytes)
    }

    @Test func `a connection that is reset leaves a beginning of the file`() throws {
        server.script("/file", .cut(file, after: 300_000, reset: true))
        let run = try harness.download(server.url("/file"))
        let end = try run.end()
        #expect(end.failure?.code == .connectionLost)
        #expect(try run.content() == Array(file.bytes[..<Int(end.reached)]))
    }

    @Test func `an error while resuming does not touch the partial file`() throws {
        server.script("/file", .busy(503, retryAfter: "1"))
        let run = try harness.download(server.url("/file"), partial: (file.bytes[..<200_000], known())) {
            $0.spec.statusPolicy = .retryTransientAndFailOnError
        }
        let end = try run.end()
        #expect(end.answer?.status == 503)
        #expect(end.reached == 200_000)
        #expect(try run.content() == Array(file.bytes[..<200_000]))
    }

    @Test func `compression is never asked for, so that bytes on disk and ranges agree`() throws {
        server.script("/file", .file(file))
        _ = try harness.download(server.url("/file")).end()
        #expect(server.requests[0].headers["Accept-Encoding"] == "identity")
    }

    @Test func `a body that is compressed all the same is kept as it came`() throws {
        var file = file
        file.headers = [HeaderField(name: "Content-Encoding", value: "gzip")]
        server.script("/file", .file(file))
        let run = try harness.download(server.url("/file"))
        #expect(try run.end().reached == 500_000)
        #expect(try run.content() == file.bytes)
    }

    @Test(arguments: [nil, "gzip"])
    func `a rest that is compressed follows bytes that were so as well, and no others`(coding: String?) throws {
        var file = FaultFile(random: 2_000_000, seed: 3)
        file.headers = [HeaderField(name: "Content-Encoding", value: "gzip")]
        server.script("/file", .cut(file, after: 100_000), .file(file))
        let first = try harness.download(server.url("/file"))
        _ = try first.end()
        let tag = PartialDownload.Validator.strongETag("\"one\"")
        #expect(
            first.events.first == .receiving(first.request.key, validator: tag, total: 2_000_000, coding: "gzip")
        )
        var partial = known(total: 2_000_000)
        partial.coding = coding
        let rest = try harness.download(server.url("/file"), partial: (file.bytes[..<100_000], partial))
        let end = try rest.end()
        if coding == nil {
            #expect(end.result == .mustBeginAgain(serverIgnoresRanges: false))
        } else {
            #expect(end.reached == 2_000_000)
            #expect(try rest.content() == file.bytes)
        }
    }
}
