// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// A session's flags about the network and the time, tested with a pretended machine.
@Suite(.serialized) struct `Sessions that are particular about the machine` {
    private let server: FaultServer
    private let daemon = SessionHome.daemon

    init() throws { server = try FaultServer() }

    struct Flag: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let set: @Sendable (URLSessionConfiguration) -> Void
        let condition: String
        let opposite: String
        let hold: TransferHold
    }

    static let flags = [
        Flag(
            testDescription: "allowsCellularAccess",
            set: { $0.allowsCellularAccess = false },
            condition: "network=cellular",
            opposite: "network=metered",
            hold: .cellular
        ),
        Flag(
            testDescription: "allowsExpensiveNetworkAccess",
            set: { $0.allowsExpensiveNetworkAccess = false },
            condition: "network=metered",
            opposite: "network=unmetered",
            hold: .expensive
        ),
        Flag(
            testDescription: "allowsConstrainedNetworkAccess",
            set: { $0.allowsConstrainedNetworkAccess = false },
            condition: "lowdata=on",
            opposite: "lowdata=off",
            hold: .lowData
        ),
        Flag(
            testDescription: "isDiscretionary",
            set: { $0.isDiscretionary = true },
            condition: "power=battery",
            opposite: "power=external",
            hold: .externalPower
        ),
    ]

    private func pretend(_ words: String...) throws {
        let result = try daemon.run(["condition", words.isEmpty ? "clear" : "set"] + words)
        guard result.isSuccess else { throw TestError("offstage condition: \(result)") }
    }

    /// The row of the transfer with the server's path, once there is one.
    private func row(_ path: String) throws -> TransferRow {
        try eventually("a transfer of \(path)") {
            let query = TransferQuery(text: "\(server.port)\(path)")
            return try WireClient.greeted(daemon).send(ListTransfers(query: query)).rows.first
        }
    }

    private func isHeld(_ path: String, _ hold: TransferHold) throws -> Bool {
        try row(path).reason.cause == .held(hold)
    }

    @Test(arguments: flags) func `a transfer waits for what its session wants, and goes on by itself`(
        flag: Flag
    ) throws {
        let path = "/" + flag.testDescription
        server.script(path, .status(200, body: "hello"))
        server.script("/free", .status(200, body: "hello"))
        try pretend(flag.condition)
        defer { try? pretend() }
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate, flag.set)
        let free = SessionHome.session(delegate)
        defer {
            session.invalidateAndCancel()
            free.invalidateAndCancel()
        }
        let task = session.downloadTask(with: try SessionHome.url(server.url(path)))
        task.resume()
        // A task without conditions is not held up by one with conditions.
        let other = free.downloadTask(with: try SessionHome.url(server.url("/free")))
        other.resume()
        #expect(try delegate.waitForEnd(of: other) == nil)
        let id = Int(try row(path).id.rawValue)
        #expect(try isHeld(path, flag.hold))
        let why = try daemon.run("why", "\(id)")
        #expect(why.output.contains(flag.hold.summary), "\(why)")
        #expect(why.output.contains("offstage retry \(id)"), "\(why)")
        #expect(try daemon.show(id).reason.hold.string == flag.hold.rawValue)
        #expect(server.requests(path).isEmpty)

        try pretend(flag.opposite)
        #expect(try delegate.waitForEnd(of: task) == nil)
        #expect(try server.waitForRequests(path, count: 1).count == 1)
    }

    @Test func `a request may want more than its session`() throws {
        let path = "/file"
        server.script(path, .status(200, body: "hello"))
        try pretend("network=cellular")
        defer { try? pretend() }
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        var request = try SessionHome.request(server.url(path))
        request.allowsCellularAccess = false
        let task = session.downloadTask(with: request)
        task.resume()
        try eventually("a transfer that is held") { try isHeld(path, .cellular) ? true : nil }
        // A person wants it now.
        #expect(try daemon.run("retry", "\(row(path).id)").isSuccess)
        #expect(try delegate.waitForEnd(of: task) == nil)
    }

    @Test func `what runs when the network becomes expensive is broken off, and goes on later where it was`() throws {
        let path = "/file"
        let file = FaultFile(random: 3_000_000, seed: 5)
        server.script(path, .stallsInBody(file, after: 2_000_000), .file(file))
        try pretend("network=unmetered")
        defer { try? pretend() }
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate) { $0.allowsExpensiveNetworkAccess = false }
        defer { session.invalidateAndCancel() }
        let task = session.downloadTask(with: try SessionHome.url(server.url(path)))
        task.resume()
        try eventually("two million bytes") { try row(path).bytesDone >= 2_000_000 ? true : nil }
        try pretend("network=metered")
        try eventually("a transfer that is held") { try isHeld(path, .expensive) ? true : nil }
        try pretend("network=unmetered")
        #expect(try delegate.waitForEnd(of: task) == nil)
        #expect(delegate.file(of: task) == file.bytes)
        let last = try server.waitForRequests(path, count: 2).last
        #expect(last?.headers["Range"]?.hasPrefix("bytes=2") == true)
    }

    @Test func `what waits for the machine waits on after the daemon was killed, and nothing waits behind it`() throws {
        let daemon = try DaemonFixture(settings: #"{"lowDataMode": true, "connectionsPerHost": 1}"#)
        try daemon.startOnDemand()
        server.script("/particular", .status(200, body: "hello"))
        server.script("/free", .status(200, body: "hello"))
        var spec = TransferSpec(
            direction: .download(.init(path: daemon.path("particular"))),
            url: try RequestURL(server.url("/particular")),
            owner: AppIdentity.command
        )
        spec.needs = .noConstrained
        let ids = try WireClient.greeted(daemon).send(SubmitTransfers(specs: [spec])).ids
        let id = try Int(#require(ids.first).rawValue)
        try daemon.watch(id, for: "low data mode to hold it") { $0.reason.cause == .held(.lowData) }
        try daemon.killDaemon()
        try daemon.startOnDemand()
        #expect(try daemon.run("download", server.url("/free")).isSuccess)
        try daemon.watch(id, for: "low data mode to hold it again") { $0.reason.cause == .held(.lowData) }
        #expect(server.requests("/particular").isEmpty)
        #expect(try daemon.run("retry", "\(id)").isSuccess)
        #expect(try daemon.wait(id).isSuccess)
    }
}
