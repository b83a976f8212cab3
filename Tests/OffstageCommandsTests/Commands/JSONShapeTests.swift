// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

/// The shapes that docs/json.md promises.
@Suite struct JSONShapeTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func run(_ words: [String], _ answers: [String: ScriptedPeer.Step]) throws -> CommandRun {
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, _ in
            name == Hello.name ? try ScriptedPeer.hello() : answers[name].map { [$0] } ?? [.close]
        }
        return withExtendedLifetime(peer) { CommandRun(words + ["--json", "--no-start"], home: directory.path("h")) }
    }

    private let rowKeys = [
        "attempts", "bytesDone", "bytesTotal", "createdAt", "direction", "id", "owner", "path", "priority", "rate",
        "reason",
        "state", "url",
    ]

    @Test func `a list`() throws {
        let rows = [
            try Samples.row(8, .retry(TransferFailure(.cannotConnect, "refused"), attempts: 1), nextLook: noon),
            try Samples.row(7, .completed(status: 201), upload: true),
        ]
        let reply = ListTransfers.Reply(rows: rows, hasMore: false, counts: ["waiting": 1, "finished": 1])
        let document = try JSONValue(parsing: try run(["list"], ["list": ScriptedPeer.reply(reply)]).output)
        #expect(document.keys == ["counts", "hasMore", "transfers"])
        #expect(document.counts.waiting.integer == 1)
        let waiting = document.transfers[0]
        #expect(waiting.keys == rowKeys)
        #expect(waiting.url.string == "https://files.example/in/big.iso?…")
        #expect(waiting.state.string == "waiting")
        #expect(waiting.reason.keys == ["advice", "code", "failure", "nextLook", "since", "summary"])
        #expect(waiting.reason.code.string == "retry")
        #expect(waiting.reason.failure.string == "cannotConnect")
        #expect(waiting.createdAt.string == "2026-09-21T14:13:20.000Z")
        let done = document.transfers[1]
        #expect(done.keys == (rowKeys + ["finishedAt", "result", "status"]).sorted())
        #expect(done.direction.string == "upload")
        #expect(done.result.string == "completed")
        #expect(done.status.integer == 201)
    }

    @Test func `what connections have besides the usual, and the proxy that is used`() throws {
        var transfer = try Samples.transfer(7, .inLine(ahead: 0))
        transfer.spec.proxy = .init(all: "http://me:secret@proxy.example:3128", none: "other.example")
        var connection = ConnectionOptions()
        connection.acceptsAnyCertificate = true
        connection.certificatePath = "/home/me/cert.pem"
        connection.connectTo = ["h:443:b:8443"]
        connection.hasNoUserAgent = true
        (connection.ipVersion, connection.needsTLS13, connection.mostRedirects) = (4, true, 0)
        connection.retryDelay = 2
        transfer.spec.connection = connection
        func shown() throws -> (JSONValue, String) {
            let detail = TransferDetail(transfer: transfer, row: try Samples.row(), partialPath: nil)
            let reply = try ScriptedPeer.reply(ShowTransfers.Reply(details: [detail]))
            let text = try run(["show", "7"], ["show": reply]).output
            return (try JSONValue(parsing: text).transfers[0], text)
        }
        let (used, text) = try shown()
        #expect(
            used.connection.keys == [
                "acceptsAnyCertificate", "certificatePath", "connectTo", "hasNoUserAgent", "ipVersion", "mostRedirects",
                "needsTLS13", "retryDelay",
            ]
        )
        #expect(used.connection.connectTo[0].string == "h:443:b:8443")
        #expect(used.connection.retryDelay.number == 2)
        #expect(
            connection.summary.suffix(4) == [
                "over IPv4 only", "over TLS 1.3 only", "with at most 0 redirects", "with 2 s between attempts",
            ]
        )
        #expect(used.proxy.string == "proxy.example:3128")
        #expect(!text.contains("secret"))
        func lines() throws -> [String] {
            let detail = TransferDetail(transfer: transfer, row: try Samples.row(), partialPath: nil)
            return DetailText.lines(detail, now: noon).filter { $0.hasPrefix("Proxy") }
        }
        #expect(try lines().map { $0.hasSuffix(" proxy.example:3128") } == [true])
        transfer.spec.proxy.none = "example"
        transfer.spec.connection = nil
        #expect(try lines().isEmpty)
        #expect(try !shown().0.keys.contains("proxy") && !shown().0.keys.contains("connection"))
    }

    @Test func `the details of a transfer`() throws {
        var transfer = try Samples.transfer(7, .failed(TransferFailure(.httpStatus, "the server answered 404")))
        transfer.spec.headers = [.init(name: "Authorization", value: "Bearer x"), .init(name: "Accept", value: "*/*")]
        transfer.past.history = [
            .init(
                number: 1,
                startedAt: noon,
                endedAt: noon,
                fromByte: 0,
                toByte: 5,
                failure: .init(.connectionLost, "gone")
            )
        ]
        let row = try Samples.row(7, .failed(TransferFailure(.httpStatus, "the server answered 404")))
        let detail = TransferDetail(transfer: transfer, row: row, partialPath: "/home/me/.part")
        let reply = try ScriptedPeer.reply(ShowTransfers.Reply(details: [detail]))
        let shown = try JSONValue(parsing: try run(["show", "7"], ["show": reply]).output).transfers[0]
        #expect(
            shown.keys
                == (rowKeys + [
                    "answerHeaders", "bodyStart", "finishedAt", "headers", "history", "idleTimeout", "isSnapshot",
                    "method",
                    "overallTimeout", "partialPath", "result", "retries", "status",
                ]).sorted()
        )
        #expect(shown.headers[0].value.string == "(hidden)")
        #expect(shown.headers[1].value.string == "*/*")
        #expect(shown.history[0].keys == ["detail", "endedAt", "failure", "fromByte", "number", "startedAt", "toByte"])
        #expect(shown.bodyStart.string == "no such file\n")
        let text = try run(["show", "7"], ["show": reply])
        #expect(!text.output.contains("Bearer"))
    }

    @Test func `what an action did`() throws {
        let reply = ActOnTransfers.Reply(
            done: [TransferID(rawValue: 7)],
            refused: [.init(id: TransferID(rawValue: 9), failure: WireFailure(.notFound, "There is no transfer 9."))]
        )
        let run = try run(["pause", "7", "9"], ["act": ScriptedPeer.reply(reply)])
        #expect(run.status == .notFound)
        #expect(run.errors == "offstage: There is no transfer 9.\n")
        let document = try JSONValue(parsing: run.output)
        #expect(document.done[0].integer == 7)
        #expect(document.refused[0].keys == ["code", "id", "message"])
    }

    @Test func `the reasons of what is not across`() throws {
        let reply = ListTransfers.Reply(rows: [try Samples.row(7, .paused)], hasMore: true, counts: ["paused": 60])
        let tasks = try ScriptedPeer.reply(TaskSamples.list([TaskSamples.row(12, .noNetwork)]))
        let answers = ["list": try ScriptedPeer.reply(reply), "tasks.list": tasks]
        let document = try JSONValue(parsing: try run(["why"], answers).output)
        #expect(document.keys == ["conditions", "history", "more", "moreTasks", "tasks", "transfers"])
        #expect(document.tasks[0].reason.code.string == "noNetwork")
        #expect(document.more.integer == 59)
        #expect(document.transfers[0].reason.advice.string == "'offstage resume 7' continues it.")
    }

    @Test func `the daemon's condition`() throws {
        let status = DaemonStatus(
            version: .current,
            processID: 5,
            uptime: 3.5,
            socketPath: "/s",
            storePath: "/t",
            settingsPath: "/u",
            counts: ["queued": 2],
            connections: 1,
            network: "up",
            rateLimit: 1024,
            notices: ["careful"],
            startedBy: "by hand"
        )
        let document = try JSONValue(
            parsing: try run(["daemon", "status"], ["status": ScriptedPeer.reply(status)]).output
        )
        #expect(document.running.bool == true)
        #expect(document.version.string == OffstageVersion.current.description)
        #expect(document.counts.queued.integer == 2)
        #expect(document.notices[0].string == "careful")
        let stopped = CommandRun(["daemon", "status", "--json"], home: directory.path("none"))
        #expect(stopped.status == .daemonUnreachable)
        #expect(try JSONValue(parsing: stopped.output).running.bool == false)
    }

    @Test func `limits and headers`() throws {
        let empty = try ScriptedPeer.reply(Empty())
        let limit = try JSONValue(parsing: try run(["limit", "7", "2k"], ["limit": empty]).output)
        #expect(limit == .object(["id": .number(7), "rateLimit": .number(2048)]))
        let header = try run(["header", "set", "7", "Authorization: Bearer x"], ["header": empty])
        #expect(
            try JSONValue(parsing: header.output)
                == .object(["id": .number(7), "headers": .array([.string("Authorization")])])
        )
        #expect(!header.output.contains("Bearer"))
    }

    @Test func `events, one document a line`() throws {
        let row = try Samples.row(7, .running)
        let peer = try ScriptedPeer(home: directory.path("h")) { connection, name, _ in
            if name == Hello.name {
                return connection == 1 ? try ScriptedPeer.hello() : [.refuse(WireFailure(.internalError, "over"))]
            }
            return [
                try ScriptedPeer.reply(WatchTransfers.Reply(rows: [row])),
                .event(.progress([.init(id: row.id, bytesDone: 5, bytesTotal: 10, rate: 2.5)])),
                .event(.finished(try Samples.row(7, .completed(status: 200)))), .event(.removed(row.id)), .close,
            ]
        }
        let run = withExtendedLifetime(peer) {
            CommandRun(["events", "--json", "--no-start"], home: directory.path("h"))
        }
        let documents = try run.lines.map { try JSONValue(parsing: $0) }
        #expect(documents.map(\.event.string) == ["current", "progress", "finished", "removed", "interrupted"])
        #expect(documents[1].keys == ["bytesDone", "bytesTotal", "event", "id", "rate"])
        #expect(documents[2].transfer.result.string == "completed")
        #expect(documents[3].id.integer == 7)
        #expect(run.errors == "offstage: over\n")
    }

    @Test func `what the doctor found, without a daemon`() throws {
        let run = CommandRun(["doctor", "--json"], home: directory.path("none"), environment: ["PATH": "/nowhere"])
        let findings = try JSONValue(parsing: run.output).findings.array
        #expect(findings.allSatisfy { $0.keys == ["advice", "level", "subject", "text"] })
        #expect(findings.contains { $0.subject.string == "daemon" && $0.text.string?.hasPrefix("not running") == true })
        #expect(access(directory.path("none")) == false)
    }

    private func access(_ path: String) -> Bool { (try? TestFiles.text(path)) != nil }
}
