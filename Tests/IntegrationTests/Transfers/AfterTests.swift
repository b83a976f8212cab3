// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// Transfers that come after others.
@Suite struct AfterTests {
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
    }

    private func after(_ ids: String..., name: String) throws -> Int {
        let options = ids.flatMap { ["--after", $0] }
        let result = try daemon.run(["download", "--detach", "-o", name, server.url("/" + name)] + options)
        #expect(result.isSuccess, "\(result)")
        return try #require(Int(result.output.filter(\.isNumber)))
    }

    @Test func `one after another, also over a crash of the daemon`() throws {
        let gate = FaultGate()
        server.script("/first", .held(gate, then: .status(200)))
        for name in ["second", "third"] { server.script("/" + name, .status(200)) }
        let first = try daemon.submit("download", server.url("/first"))
        let second = try after("\(first)", name: "second")
        let third = try after("\(first)-\(second)", name: "third")
        try server.waitForRequests("/first", count: 1)
        #expect(try daemon.run("why", "\(third)").output.contains("waiting for transfer \(first) and 1 other"))
        try daemon.killDaemon()
        gate.open()
        try daemon.startOnDemand()
        #expect(try daemon.wait(first, second, third).isSuccess)
        #expect(server.requests.map(\.path).filter { $0 != "/first" } == ["/second", "/third"])
        // A transfer after a complete one begins at once.
        server.script("/fourth", .status(200))
        #expect(try daemon.wait(after("\(third)", name: "fourth")).isSuccess)
    }

    @Test func `one that fails keeps those after it waiting, and says so`() throws {
        server.script("/first", .status(404), .status(200))
        server.script("/second", .status(200))
        server.script("/third", .status(200))
        let first = try daemon.submit("download", server.url("/first"))
        let second = try after("\(first)", name: "second")
        let third = try after("\(first)", name: "third")
        _ = try daemon.watch(second, for: "word of the failure") {
            $0.reason.cause == .predecessor(.init(id: .init(rawValue: Int64(first)), end: .failed), others: 0)
        }
        let why = try daemon.run("why", "\(second)").output
        #expect(why.contains("transfer \(first) has failed"), "\(why)")
        #expect(why.contains("offstage retry \(first)"), "\(why)")
        // A person may not want to wait.
        #expect(try daemon.run("retry", "\(third)").isSuccess)
        #expect(try daemon.wait(third).isSuccess)
        #expect(server.requests.map(\.path) == ["/first", "/third"])
        #expect(try daemon.run("retry", "\(first)").isSuccess)
        #expect(try daemon.wait(first, second).isSuccess)
    }

    @Test func `what is forgotten or was never there is told`() throws {
        server.script("/first", .status(404))
        expectSentence(try daemon.run("download", "--after", "77", server.url("/x")), code: 4, "77")
        let first = try daemon.submit("download", server.url("/first"))
        #expect(!(try daemon.wait(first).isSuccess))
        let second = try after("\(first)", name: "second")
        #expect(try daemon.run("forget", "\(first)").isSuccess)
        _ = try daemon.watch(second, for: "word of the forgetting") {
            $0.reason.cause == .predecessor(.init(id: .init(rawValue: Int64(first)), end: .forgotten), others: 0)
        }
        #expect(try daemon.run("cancel", "\(second)").isSuccess)
    }

    @Test func `hundreds after one begin when it has completed`() throws {
        let gate = FaultGate()
        server.script("/first", .held(gate, then: .status(200)))
        server.script("/file", .status(200))
        let first = try daemon.submit("download", server.url("/first"))
        let list = (0..<300).map { "\(server.url("/file"))\t\(daemon.path("out-\($0)"))" }.joined(separator: "\n")
        let result = try daemon.run(["download", "--detach", "--after", "\(first)", "-"], input: list)
        #expect(result.isSuccess, "\(result)")
        try server.waitForRequests("/first", count: 1)
        #expect(try daemon.json("list", "--state", "waiting").counts.waiting.integer == 300)
        gate.open()
        let all = try daemon.run("wait", "\(first + 1)-\(first + 300)")
        #expect(all.isSuccess, "\(all)")
    }
}
