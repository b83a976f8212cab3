// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

/// Servers and name servers that are not there yet. The settings make the schedule of retries a hundred times faster
/// than usual, so that six seconds are ten of its minutes.
private enum LateSchedule {
    static let settings = #"{"retryBaseDelay": 0.01, "retryMaximumDelay": 3}"#
    static let tenMinutes = 6.0
    /// The beginning of the warning to a follower.
    static let warning = "nothing has answered in 3 attempts"

    /// Waits until a transfer has been tried for ten minutes and is still waiting for a retry.
    static func pass(_ daemon: DaemonFixture, _ id: Int) throws {
        let row = try daemon.watch(id, for: "ten minutes") {
            $0.kind == .waiting && Date().timeIntervalSince($0.createdAt) >= tenMinutes
        }
        #expect(row.attempts > 8)
        guard case .retry = row.reason.cause else {
            Issue.record("it waits for \(row.reason.summary)")
            return
        }
    }

    /// The number of the transfer that a follower has handed over.
    static func id(_ follower: ChildProcess) throws -> Int {
        try follower.line { $0.split(separator: " ").dropFirst(3).first.flatMap { Int($0.dropLast()) } }
    }

    /// Expects that the transfer succeeded, and that the follower was warned once, after the third attempt, that
    /// nothing answers.
    static func expectPatience(_ follower: ChildProcess, _ id: Int) throws {
        let result = try follower.result()
        #expect(result.isSuccess, "\(result)")
        let told = result.errors.split(separator: "\n").filter { $0.contains("nothing has answered") }
        #expect(told.count == 1 && told[0].contains("\(id): \(warning)"), "\(result)")
    }
}

@Suite struct `A server that comes up ten minutes late` {
    private let daemon: DaemonFixture
    private let port: UInt16

    init() throws {
        daemon = try DaemonFixture(settings: LateSchedule.settings)
        port = try FreePort.find()
    }

    @Test func `a download is waited for, and ends well`() throws {
        let follower = try daemon.start(["download", "http://127.0.0.1:\(port)/file"])
        let id = try LateSchedule.id(follower)
        try LateSchedule.pass(daemon, id)
        let server = try FaultServer(port: port)
        server.script("/file", .status(200, body: "content"))
        try LateSchedule.expectPatience(follower, id)
        #expect(try TestFiles.text(daemon.path("file")) == "content")
    }

    @Test func `an upload is waited for over the death of the daemon, and ends well`() throws {
        let file = try daemon.makeFile("file", bytes: 100_000)
        let follower = try daemon.start(["upload", "file", "http://127.0.0.1:\(port)/in"])
        let id = try LateSchedule.id(follower)
        try daemon.watch(id, for: "some attempts") { $0.attempts >= 5 }
        try daemon.killDaemon()
        try daemon.startOnDemand()
        try LateSchedule.pass(daemon, id)
        let server = try FaultServer(port: port)
        server.script("/in", .status(201))
        try LateSchedule.expectPatience(follower, id)
        #expect(try TestFiles.sha256(of: server.waitForRequests("/in", count: 1)[0].body) == file.sha256)
    }
}

@Suite(.serialized, .enabled(if: Privileges.canMakeNetworks, "needs root and iproute2 to make network namespaces"))
struct `A name server that comes up ten minutes late` {
    private let link: VirtualLink
    private let daemon: DaemonFixture
    private let folder: TemporaryDirectory
    private let server: FaultServer

    init() throws {
        link = try VirtualLink()
        folder = try TemporaryDirectory()
        server = try FaultServer(address: link.farAddress, namespace: link.farPath)
        server.script("/file", .status(200, body: "content"))
        // Names are looked up behind a router.
        try VirtualLink.ip("-n", link.near, "route", "add", "default", "via", link.farAddress)
        let path = folder.path("resolv.conf")
        // The resolver gives up on a silent name server after a second; elsewhere that takes much longer.
        try TestFiles.write("nameserver \(link.farAddress)\noptions timeout:1 attempts:1\n", to: path)
        let enter = "mount --bind \(path) /etc/resolv.conf && exec \"$@\""
        daemon = try DaemonFixture(
            settings: LateSchedule.settings,
            prefix: link.nearPrefix + ["/bin/sh", "-c", enter, "sh"]
        )
    }

    private func follow() throws -> (ChildProcess, Int) {
        let follower = try daemon.start(["download", "http://late.example:\(server.port)/file"])
        return (follower, try LateSchedule.id(follower))
    }

    private var address: [UInt8] { link.farAddress.split(separator: ".").compactMap { UInt8($0) } }

    @Test func `one that does not answer at first is waited for`() throws {
        let names = try NameServer(address: link.farAddress, namespace: link.farPath, .silent)
        let (follower, id) = try follow()
        try names.waitForQuestions(6, .silent)
        let row = try daemon.watch(id, for: "ten minutes") {
            $0.kind == .waiting && Date().timeIntervalSince($0.createdAt) >= LateSchedule.tenMinutes
        }
        #expect(row.attempts >= 3)
        #expect(try daemon.run("why", "\(id)").output.contains("late.example"))
        names.become(.answers(address))
        try LateSchedule.expectPatience(follower, id)
        #expect(try TestFiles.text(daemon.path("file")) == "content")
    }

    @Test func `one that does not answer holds up nothing else, not even a stop`() throws {
        let patient = "nameserver \(link.farAddress)\noptions timeout:25 attempts:1\n"
        try TestFiles.write(patient, to: folder.path("resolv.conf"))
        let names = try NameServer(address: link.farAddress, namespace: link.farPath, .silent)
        let (follower, id) = try follow()
        try names.waitForQuestions(1, .silent)
        let began = Date()
        #expect(try daemon.run("cancel", "\(id)").isSuccess)
        #expect(try follower.result().status == .exited(1))
        let other = try daemon.run("download", "-o", "other", "http://\(link.farAddress):\(server.port)/file")
        #expect(other.isSuccess, "\(other)")
        #expect(try daemon.run("download", "--detach", "-o", "next", "http://next.example/file").isSuccess)
        try names.waitForQuestions(3, .silent)
        #expect(try daemon.run("daemon", "stop").isSuccess)
        #expect(Date().timeIntervalSince(began) < 20)
    }

    @Test func `one that is not there, and then knows no such name, is asked again`() throws {
        let (follower, id) = try follow()
        try daemon.watch(id, for: "some attempts") { $0.attempts >= 3 && $0.kind == .waiting }
        let names = try NameServer(address: link.farAddress, namespace: link.farPath, .knowsNone)
        try names.waitForQuestions(2, .knowsNone)
        try LateSchedule.pass(daemon, id)
        names.become(.answers(address))
        try LateSchedule.expectPatience(follower, id)
        #expect(try TestFiles.text(daemon.path("file")) == "content")
    }
}
