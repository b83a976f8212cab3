// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

/// `--notify`, on a real session bus with a desktop behind it.
@Suite(.serialized, .enabled(if: TestDesktop.isPossible, "needs dbus-daemon, python3-dbus and python3-gi"))
struct NotifyTests {
    private let desktop: TestDesktop
    private let server: FaultServer

    init() throws {
        desktop = try TestDesktop()
        server = try FaultServer()
        server.script("/in", .status(201))
        server.script("/gone", .status(404))
    }

    private func daemon(_ settings: String = #"{"retryBaseDelay": 0.1}"#) throws -> DaemonFixture {
        let daemon = try DaemonFixture(
            settings: settings,
            environment: ["DBUS_SESSION_BUS_ADDRESS": desktop.address]
        )
        try TestFiles.write("content", to: daemon.path("a.txt"))
        return daemon
    }

    @Test func `an upload that has completed is told, without a button that opens nothing`() throws {
        let daemon = try daemon()
        let id = try daemon.submit("upload", "--notify", "a.txt", server.url("/in"))
        let line = try desktop.told("notify 1")
        #expect(
            line == #"notify 1 ["Offstage", "Uploaded a.txt", "To \#(server.url("/in"))", [], "#
                + #"{"urgency": 1, "suppress-sound": 0}]"#
        )
        #expect(try daemon.show(id).notify.bool == true)
        #expect(try daemon.run("show", "\(id)").output.contains("when it has ended, or needs you"))
        // A click on it has no effect.
        try desktop.order("invoke 1 default")
        #expect(try daemon.run("list").isSuccess)
        #expect(try daemon.run("doctor").output.contains("notifications"))
    }

    @Test func `without the flag the settings decide, and with it the flag`() throws {
        let daemon = try daemon(#"{"notify": "failures"}"#)
        let silent = try daemon.submit("upload", "a.txt", server.url("/in"))
        let unwanted = try daemon.submit("upload", "--no-notify", "a.txt", server.url("/gone"))
        try daemon.wait(silent, unwanted)
        let failed = try daemon.submit("upload", "a.txt", server.url("/gone"))
        #expect(try desktop.told("notify 1").contains("a.txt was not uploaded"))
        #expect(try desktop.told("notify 1").contains("404"))
        try daemon.wait(failed)
        #expect(desktop.lines.count { $0.hasPrefix("notify") } == 1)
    }

    @Test func `one that waits for a person is told, and what it was sent is not`() throws {
        let daemon = try daemon()
        server.script("/secret", .protected("Bearer r1ght-t0ken", then: .status(200, body: "s3cr3t")))
        let url = server.url("/secret") + "?token=t0k3n-in-query"
        let id = try daemon.submit(
            "download",
            url,
            "--notify",
            "--wait-for-credentials",
            "-o",
            "b",
            "-H",
            "Authorization: Bearer wr0ng-t0ken"
        )
        let line = try desktop.told("notify 1")
        #expect(line.contains("b waits for you"))
        #expect(line.contains("offstage header set \(id)"))
        for secret in ["wr0ng", "t0k3n-in-query"] { #expect(!line.contains(secret)) }
        #expect(try daemon.run("header", "set", "\(id)", "Authorization: Bearer r1ght-t0ken").isSuccess)
        let end = try desktop.told("notify 2")
        #expect(end.contains("Downloaded b"))
        for secret in ["r1ght", "t0k3n-in-query"] { #expect(!end.contains(secret)) }
    }

    @Test func `many ends are one notification, which counts`() throws {
        let daemon = try daemon()
        let list = (1...40).map { "a.txt\t\(server.url("/in"))/\($0)\n" }.joined()
        for number in 1...40 { server.script("/in/\(number)", .status(201)) }
        let result = try daemon.run(["upload", "--notify", "--quiet", "-"], input: list)
        #expect(result.isSuccess, "\(result)")
        _ = try desktop.told("notify 1")
        try eventually("the last notification counts all; \(desktop.lines)", within: 30) {
            desktop.lines.last { $0.hasPrefix("notify") }?.contains("40 transfers completed") == true ? true : nil
        }
        let shown = desktop.lines.count { $0.hasPrefix("notify") }
        #expect(shown <= 3)
        // All notifications before the last have been removed.
        #expect(desktop.lines.count { $0.hasPrefix("close") } == shown - 1)
    }

    @Test func `a desktop that cannot say at first what it shows gets no markup`() throws {
        let desktop = try TestDesktop(lapses: 1)
        let daemon = try DaemonFixture(environment: ["DBUS_SESSION_BUS_ADDRESS": desktop.address])
        try TestFiles.write("content", to: daemon.path("a.txt"))
        server.script("/a&b", .status(201))
        _ = try daemon.submit("upload", "--notify", "a.txt", server.url("/a&b"))
        let line = try desktop.told("notify 1")
        #expect(line.contains("To \(server.url("/a&amp;b"))"), "\(line)")
    }

    @Test func `it can be changed while it waits`() throws {
        let daemon = try daemon()
        let id = try daemon.submit("upload", "--begin", "+2h", "a.txt", server.url("/in"))
        #expect(try daemon.run("change", "--notify", "\(id)").isSuccess)
        // The flag is on the disk.
        try daemon.killDaemon()
        try daemon.startOnDemand()
        #expect(try daemon.show(id).notify.bool == true)
        #expect(try daemon.run("change", "--begin", "now", "\(id)").isSuccess)
        #expect(try desktop.told("notify 1").contains("Uploaded a.txt"))
    }

    @Test func `without a desktop nothing is shown, and nothing waits`() throws {
        let daemon = try DaemonFixture(
            environment: ["DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": "/nonexistent"]
        )
        try TestFiles.write("content", to: daemon.path("a.txt"))
        let id = try daemon.submit("upload", "--notify", "a.txt", server.url("/in"))
        #expect(try daemon.wait(id).isSuccess)
        #expect(try daemon.run("doctor").output.contains("not shown: there is no desktop session"))
    }
}
