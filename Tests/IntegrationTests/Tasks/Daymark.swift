// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport
import Testing

/// The example of that name with its own daemon and server, on a machine that is pretended to be idle.
final class Daymark {
    let daemon: DaemonFixture
    let app: StageApp
    let server: FaultServer

    /// - Parameter strict: whether a phone's limits apply.
    /// - Throws: `TestError` if something is not built, or does not start.
    init(strict: Bool = false) throws {
        daemon = try DaemonFixture(
            settings: #"{"retryBaseDelay": 0.1, "retryMaximumDelay": 1, "strict": \#(strict)}"#
        )
        app = try StageApp("Daymark", daemon)
        server = try FaultServer()
        for path in ["/refresh", "/tidy"] { server.script(path, .status(201)) }
        try condition("set", "network=unmetered", "power=external", "load=idle", "disk=free")
    }

    /// Launches the app by hand, and sends it to background, where it schedules its work.
    @discardableResult
    func launchAndLeave(interval: Int, shape: String = "proper") throws -> ChildProcess {
        let count = app.texts.count { $0 == "active" }
        let process = try app.launch([server.url(""), "\(interval)", shape])
        try app.waitForLine("active", count: count + 1)
        try app.person("background")
        try app.waitUntilSuspended(process.processID)
        return process
    }

    /// Advances the daemon's time by so many seconds.
    func advance(_ seconds: Int) throws {
        let result = try daemon.run(["simulate", "advance", "\(seconds)s"], within: 300)
        guard result.isSuccess else { throw TestError("offstage simulate advance: \(result). Its story: \(app.tale)") }
    }

    func condition(_ arguments: String...) throws {
        let result = try daemon.run(["condition"] + arguments)
        guard result.isSuccess else { throw TestError("offstage condition: \(result)") }
    }

    /// Expects the output of `offstage why` for one of its identifiers, given by its last word, once it has settled.
    func expectReason(_ name: String, _ words: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var answer = "nothing"
        let isSaid = try? eventually("'\(words)' of \(name)", within: 5) {
            answer = "\(try daemon.run("why", "com.example.Daymark.\(name)"))"
            return answer.contains(words) ? true : nil
        }
        #expect(isSaid == true, "'\(words)' is not in: \(answer)", sourceLocation: sourceLocation)
    }

    /// The identifiers of the pending requests, in alphabetical order.
    func pending() throws -> [String] {
        try daemon.json("tasks").tasks.array.compactMap(\.identifier.string).sorted()
    }

    /// Waits for so many events, and expects no others: the events of a name are numbered, and none comes twice.
    func expectEvents(refresh: Int, tidy: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for (name, count) in [("refresh", refresh), ("tidy", tidy)] {
            do {
                if count > 0 { try server.waitForRequests("/\(name)", count: count) }
            } catch {
                throw TestError("\(error) It has noted \(app.texts.count { $0 == "entered \(name)" }) runs.")
            }
            // A request is recorded before its body has arrived.
            let numbers = try eventually("whole events") { () -> [Int]? in
                let requests = server.requests("/\(name)")
                guard requests.allSatisfy(\.isWhole) else { return nil }
                return try requests.compactMap {
                    try JSONValue(parsing: String(decoding: $0.body, as: UTF8.self))["number"].integer
                }
            }
            #expect(
                numbers.sorted() == Array(1..<(count + 1)),
                "events of \(name)",
                sourceLocation: sourceLocation
            )
            let entered = app.texts.count { $0 == "entered \(name)" }
            #expect(entered == count, "runs of \(name)", sourceLocation: sourceLocation)
        }
    }
}
