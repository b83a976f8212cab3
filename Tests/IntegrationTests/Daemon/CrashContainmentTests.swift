// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

/// The daemon traps repeatedly over one item: everything else continues.
@Suite struct `A daemon that traps` {
    private let daemon: DaemonFixture
    private let server: FaultServer
    private let gate = FaultGate()

    init() throws {
        daemon = try DaemonFixture(
            settings: #"{"retryBaseDelay": 0.1, "retryMaximumDelay": 1, "connectionsPerHost": 16}"#
        )
        server = try FaultServer()
        server.script("/file", .held(gate, then: .status(200, body: "content")))
        server.script("/bad", .held(gate, then: .status(200, body: "content")))
    }

    private func fault(_ point: String, _ what: String) -> [String: String] { ["OFFSTAGE_FAULT": "\(point):\(what)"] }

    /// Hands over so many downloads, one of them, in the middle, from another path, and kills the daemon before any is
    /// done.
    private func handOver(_ count: Int) throws -> (others: [Int], culprit: Int) {
        let list = (0..<count).map { "\(server.url($0 == count / 2 ? "/bad" : "/file"))\t\(daemon.path("f\($0)"))" }
        let result = try daemon.run(["download", "--detach", "-"], input: list.joined(separator: "\n") + "\n")
        let ids = result.lines.compactMap { Int($0) }
        guard result.isSuccess, ids.count == count else { throw TestError("not all were handed over: \(result)") }
        try daemon.killDaemon()
        gate.open()
        return (ids.filter { $0 != ids[count / 2] }, ids[count / 2])
    }

    /// Waits with commands that start a daemon if none is running, as people and apps do.
    private func arrive(_ ids: [Int], _ environment: [String: String]) throws {
        let limit = TimeLimit(seconds: 240)
        while true {
            let result = try daemon.run(["wait"] + ids.map { String($0) }, environment: environment, within: 240)
            if result.isSuccess { return }
            guard !limit.isOver else { throw TestError("they do not arrive: \(result)\n\(daemon.log.suffix(3000))") }
        }
    }

    private func reason(_ id: Int, _ environment: [String: String] = [:]) throws -> JSONValue {
        let result = try daemon.run(["show", "\(id)", "--json"], environment: environment)
        return result.isSuccess ? try JSONValue(parsing: result.output).transfers[0].reason : .null
    }

    private func setAside(_ id: Int, crashes: Int, _ environment: [String: String]) throws {
        try eventually("transfer \(id) is set aside", within: 60) {
            let reason = try reason(id, environment)
            return reason.code.string == "setAside" && reason.summary.string?.contains("\(crashes) ") == true
                ? true : nil
        }
    }

    @Test func `the other 999 arrive, and the one is set aside with the reason`() throws {
        let (others, culprit) = try handOver(1000)
        let environment = fault("trap-in-attempt", "bad")
        try arrive(others, environment)
        #expect(TestFiles.names(in: daemon.files).filter { $0.hasPrefix("f") }.count == 999)
        try setAside(culprit, crashes: 3, environment)
        let why = try daemon.run("why", "\(culprit)").output
        #expect(why.contains("it was running during 3 crashes of the daemon"), "\(why)")
        #expect(why.contains("offstage retry \(culprit)"), "\(why)")
        #expect(try daemon.run("list", "--all").output.contains("set aside"))

        let line = "carrying out an attempt of transfer \(culprit)"
        for command in [["doctor"], ["daemon", "status"]] {
            let output = try daemon.run(command).output
            #expect(output.contains("report this line"), "\(output)")
            #expect(output.contains(line) && output.contains("'engine'") && output.contains("SIG"), "\(output)")
            #expect(!output.contains(server.url("/bad")))
        }
        #expect(daemon.log.split(separator: "\n").count { $0.contains("please report") && $0.contains(line) } == 3)

        // The running daemon still has the switch: one more crash is enough.
        _ = try daemon.run("retry", "\(culprit)")
        try setAside(culprit, crashes: 4, environment)
        try daemon.killDaemon()
        #expect(try daemon.run("doctor").output.contains(line), "without a daemon, too")
        try daemon.startOnDemand()
        try setAside(culprit, crashes: 4, [:])
        #expect(try daemon.run("retry", "\(culprit)").isSuccess)
        #expect(try daemon.wait(culprit).isSuccess)
    }

    @Test(arguments: ["unnamed-", "overflow-"])
    func `a trap that cannot say what it was about, or overflows the stack, is contained too`(kind: String) throws {
        let (others, culprit) = try handOver(40)
        let environment = fault("\(kind)trap-in-attempt", "bad")
        try arrive(others, environment)
        try eventually("transfer \(culprit) is set aside", within: 90) {
            try reason(culprit, environment).code.string == "setAside" ? true : nil
        }
        #expect(try daemon.json("list", "--all").transfers.array.count { $0.reason.code.string == "setAside" } == 1)
    }

    @Test func `a record that the daemon traps over is not read again, and can be given up`() throws {
        let (others, culprit) = try handOver(20)
        let environment = fault("trap-in-record", "\(culprit)")
        try arrive(others, environment)
        try eventually("transfer \(culprit) is set aside", within: 60) {
            let summary = try reason(culprit, environment).summary.string ?? ""
            return summary.contains("its record was being read during 3 crashes") ? true : nil
        }
        #expect(try daemon.run("list").output.contains("\(culprit)"))
        #expect(!(try daemon.run("pause", "\(culprit)").isSuccess))
        #expect(try daemon.run("cancel", "\(culprit)").isSuccess)
        // It has been rewritten. The switch matches the transfer's number, so a daemon without the switch reads it.
        try? daemon.killDaemon()
        #expect(try daemon.run("list").isSuccess)
    }

    @Test func `a daemon that is killed, or sent a signal, sets nothing aside`() throws {
        server.script("/slow", .held(FaultGate(), then: .status(200)))
        let slow = try daemon.submit("download", server.url("/slow"), "-o", "slow")
        for round in 0..<12 {
            try daemon.startOnDemand()
            try daemon.watch(slow, for: "its attempt") { $0.kind == .running }
            let process = try daemon.daemon()
            try process.send(round % 3 == 0 ? SIGSEGV : round % 3 == 1 ? SIGABRT : SIGKILL)
            try process.awaitEnd()
        }
        try daemon.startOnDemand()
        #expect(try daemon.watch(slow, for: "its attempt") { $0.kind == .running }.kind == .running)
        #expect(!(try daemon.run("daemon", "status").output.contains("report")))
        #expect(!daemon.log.contains("crashed"))
    }

    @Test func `a daemon whose lock file was removed still keeps a second one out`() throws {
        try daemon.startOnDemand()
        try #require(unlink(daemon.home + "/daemon.lock") == 0)
        let second = try daemon.startDaemon().result()
        #expect(second.status == .exited(3), "\(second)")
        #expect(second.errors.contains("Another offstaged is already running for this user"), "\(second)")
        #expect(daemon.daemonProcessIDs.count == 1)
        #expect(try daemon.run("list").isSuccess)
    }

    @Test func `nothing of a secret is left on the disk soon after its transfer is forgotten`() throws {
        let secret = "topsecret-4711-abcdefghijklmnopqrstuvwxyz"
        gate.open()
        var ids: [Int] = []
        for number in 0..<12 {
            let padding = String(repeating: "x", count: number * 700)
            ids.append(
                try daemon.submit(
                    "download",
                    server.url("/file"),
                    "-o",
                    "s\(number)",
                    "-H",
                    "Authorization: Bearer \(secret)",
                    "-H",
                    "X-Padding: \(padding)"
                )
            )
        }
        #expect(try daemon.run(["wait"] + ids.map { String($0) }).isSuccess)
        #expect(try filesWith(secret).isEmpty == false, "or this test would prove nothing")
        #expect(try daemon.run(["forget"] + ids.map { String($0) }).isSuccess)
        try eventually("nothing is left of the secret", within: 20) { try filesWith(secret).isEmpty ? true : nil }
        #expect(daemon.daemonProcessIDs.count == 1, "while the daemon lives")
    }

    private func filesWith(_ secret: String) throws -> [String] {
        let result = try ChildProcess("/usr/bin/grep", ["-rlaF", secret, daemon.home]).result()
        return result.lines
    }
}
