// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Numbers that no honest client, app or server sends: each is refused or replaced, and the daemon keeps running.
@Suite struct `Numbers from outside end nothing` {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture(settings: #"{"retryBaseDelay": 0.05, "retryMaximumDelay": 0.2}"#)
        server = try FaultServer()
        server.script("/file", .file(FaultFile(random: 5000, seed: 3)))
    }

    /// Each of these is tried once in the place of a number in JSON.
    private static let numbers = [
        "-9223372036854775808", "9223372036854775807", "9223372036854775808", "18446744073709551615", "-1", "0", "1",
        "4611686018427387904", "1e300", "-1e300", "1e19", "0.5", "-0.0", "1e-320", "1e400", "null", "\"1\"", "[]",
        "true",
    ]

    /// Sends a request for each number, which replaces `#`; each is answered.
    private func sendAll(_ name: String, _ payload: String) throws {
        let client = try WireClient.greeted(daemon)
        for (index, number) in Self.numbers.enumerated() {
            let exchange = UInt32(1000 + index)
            let bytes = Array(payload.replacing("#", with: number).utf8)
            try client.write(WireFrame(kind: .request, exchange: exchange, name: name, payload: bytes).encoded())
            let limit = TimeLimit(seconds: 30)
            while true {
                let frame = try #require(try client.nextFrame(limit), "\(name) \(number) of \(payload)")
                if frame.exchange == exchange, frame.kind != .event { break }
            }
        }
    }

    /// Expects that a transfer still arrives, whatever was sent before.
    private func expectService(_ name: String) throws {
        let id = try daemon.submit("download", server.url("/file"), "-o", daemon.path(name))
        #expect(try daemon.wait(id).isSuccess)
    }

    private static let target =
        #""download":{"path":"FOLDER/CFNetworkDownload_NUMBER.tmp"},"url":"http://127.0.0.1:9/x","owner":"OWNER""#
    private static let upload = #""url":"http://127.0.0.1:9/x","owner":"OWNER""#

    /// Members of a specification.
    static let specifications = [
        "\(target),\"priority\":#", "\(target),\"earliestBegin\":#", "\(target),\"maximumRetries\":#",
        "\(target),\"maximumAttemptsBeforeFirstAnswer\":#", "\(target),\"idleTimeout\":#",
        "\(target),\"connectTimeout\":#", "\(target),\"overallTimeout\":#", "\(target),\"rateLimit\":#",
        "\(target),\"connectionsPerHost\":#", #"\#(target),"sessionTask":{"session":"s","task":#}"#,
        #"\#(target),"resumesFrom":"ab","resumePartial":{"totalBytes":#,"syncedBytes":0,"bootID":"b","serverIgnoresRanges":false,"validator":{"strongETag":{"_0":"\"x\""}}}"#,
        #"\#(target),"resumesFrom":"ab","resumePartial":{"totalBytes":5,"syncedBytes":#,"bootID":"b","serverIgnoresRanges":false,"validator":{"strongETag":{"_0":"\"x\""}}}"#,
        #"\#(upload),"upload":{"path":"/etc/passwd","identity":[1,2,#,4]}"#,
        #"\#(upload),"upload":{"path":"/etc/passwd","identity":[#,2,3,4]}"#,
        #"\#(upload),"upload":{"path":"/etc/passwd","identity":[1,2,3,#]}"#,
        #"\#(upload),"method":"POST","headers":["Content-Type: multipart/form-data; boundary=OffstageFormBoundary-00000000000000000000000000000000"],"form":{"boundary":"OffstageFormBoundary-00000000000000000000000000000000","parts":[{"name":"a","file":{"path":"/etc/passwd","identity":[1,2,#,4]}},{"name":"b","file":{"path":"/etc/passwd","identity":[1,2,#,4]}}]}"#,
        #"\#(upload),"upload":{"path":"/etc/passwd","identity":[1,2,3,4]},"dialect":{"name":"dropbox","destination":"d","parameters":"{\"account\":\"a\",\"path\":\"/a\",\"largestChunk\":#}"}"#,
        #"\#(upload),"upload":{"path":"/etc/passwd","identity":[1,2,3,4]},"dialect":{"name":"dropbox","destination":"d","parameters":"{\"account\":\"a\",\"path\":\"/a\",\"clientModified\":#}"}"#,
    ]

    @Test func `in a specification`() throws {
        let before = try daemon.run("list").isSuccess
        #expect(before)
        let process = try daemon.daemon().processID
        for (index, specification) in Self.specifications.enumerated() {
            let json = specification.replacing("FOLDER", with: daemon.files).replacing("OWNER", with: "command")
            try sendAll("submit", "{\"specs\":[{\(json.replacing("NUMBER", with: "\(index)"))}]}")
        }
        #expect(try daemon.daemon().processID == process)
        #expect(try daemon.run("list").isSuccess)
        #expect(try daemon.run("list", "--json").isSuccess)
        try expectService("first")
        // Accepted values are also read by the next daemon.
        try daemon.killDaemon()
        try expectService("second")
        #expect(try daemon.run("list").isSuccess)
    }

    static let requests = [
        ("list", #"{"query":{"limit":#}}"#), ("list", #"{"query":{"limit":5,"before":#}}"#), ("show", #"{"ids":[#]}"#),
        ("act", #"{"verb":"cancel","selection":{"ids":{"_0":[#]}}}"#), ("limit", #"{"bytesPerSecond":#}"#),
        ("limit", #"{"id":#,"bytesPerSecond":5}"#), ("limit", #"{"id":1,"bytesPerSecond":#}"#),
        ("header", #"{"id":#,"headers":["X-A: b"]}"#), ("watch", #"{"ids":[#]}"#),
        ("tasks.list", #"{"limit":#}"#), ("tasks.forecast", #"{"limit":#,"seconds":5}"#),
        ("tasks.forecast", #"{"limit":5,"seconds":#}"#), ("time.advance", #"{"seconds":#}"#),
        ("conditions.pretend", #"{"pretended":{"batteryCharge":#}}"#), ("apps.story", #"{"app":"a","limit":#}"#),
        ("apps.story", #"{"app":"a","limit":5,"after":#}"#), ("tasks.watch", #"{"limit":#}"#),
    ]

    @Test func `in a request`() throws {
        _ = try daemon.submit("download", "http://127.0.0.1:9/x", "-o", daemon.path("waiting"), "--limit-rate", "5")
        let process = try daemon.daemon().processID
        for (name, payload) in Self.requests { try sendAll(name, payload) }
        try sendAll("limit", #"{"bytesPerSecond":null,"id":#}"#)
        #expect(try daemon.daemon().processID == process)
        try sendAll("conditions.pretend", #"{"pretended":{}}"#)
        #expect(try daemon.run("tasks").isSuccess)
        #expect(try daemon.run("limit", "none").isSuccess)
        try expectService("file")
    }

    @Test func `in an app's journal`() throws {
        try daemon.startOnDemand()
        let process = try daemon.daemon().processID
        let app = try SessionClient(daemon)
        _ = try app.send(OpenSession(identifier: "s"))
        var sequence: UInt64 = 0
        for specification in Self.specifications where !specification.contains("sessionTask") {
            for number in Self.numbers {
                sequence += 1
                let json = "{\(specification),\"sessionTask\":{\"session\":\"s\",\"task\":\(sequence)}}"
                    .replacing("#", with: number).replacing("FOLDER", with: app.app.downloads)
                    .replacing("OWNER", with: app.app.app).replacing("NUMBER", with: "\(sequence)")
                let record = JournalRecord(kind: .submit, sequence: sequence, json: Array(json.utf8))
                #expect(app.append(bytes: record.encoded()))
            }
        }
        for number in Self.numbers {
            for json in [
                #"{"setPriority":{"_0":{"session":"s","task":1},"_1":#}}"#,
                #"{"act":{"_0":{"session":"s","task":#},"_1":"cancel"}}"#, #"{"acknowledge":{"_0":#}}"#,
                #"{"fileTaken":{"_0":#}}"#,
            ] {
                sequence += 1
                let bytes = Array(json.replacing("#", with: number).utf8)
                #expect(app.append(bytes: JournalRecord(kind: .entry, sequence: sequence, json: bytes).encoded()))
            }
        }
        try app.ring()
        try app.waitForCommit(of: sequence)
        #expect(try daemon.daemon().processID == process)
        try expectService("file")
        try daemon.killDaemon()
        try expectService("again")
    }

    /// Answers whose numbers make careless arithmetic trap.
    static let answers = [
        "HTTP/1.1 206 Part\r\nContent-Range: bytes 0-9223372036854775807/*\r\n\r\nabc",
        "HTTP/1.1 206 Part\r\nContent-Range: bytes 0-9223372036854775806/9223372036854775807\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nabc",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nraw bytes",
        "HTTP/1.1 503 No\r\nRetry-After: 99999999999999999999\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 503 No\r\nRetry-After: Fri, 31 Dec 999999999999 23:59:59 GMT\r\nContent-Length: 0\r\n\r\n",
    ]

    @Test(arguments: answers) func `in a server's answer`(answer: String) throws {
        server.script(
            "/lie",
            FaultAnswer {
                try $0.send(answer)
                $0.close()
            }
        )
        let bystander = try Bystander(daemon)
        let process = try daemon.daemon().processID
        let result = try daemon.run(
            "download",
            server.url("/lie"),
            "-o",
            daemon.path("lie"),
            "--max-time",
            "3s",
            "--retry",
            "2"
        )
        #expect(!result.isSuccess, "\(result)")
        #expect(result.errors.contains(".") && !result.errors.isEmpty, "\(result)")
        #expect(!TestFiles.exists(daemon.path("lie")))
        #expect(try daemon.daemon().processID == process)
        try bystander.expectArrival()
    }
}
