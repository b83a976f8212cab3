// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// On a real session bus, whose address the daemon has from its environment.
@Suite(.serialized, .enabled(if: TestDesktop.isPossible, "needs dbus-daemon, python3-dbus and python3-gi"))
struct DesktopTests {
    private func app(on desktop: TestDesktop) throws -> (NotifyingApp, ChildProcess) {
        let app = try NotifyingApp(try DaemonFixture(), "shows")
        let process = try app.open(["DBUS_SESSION_BUS_ADDRESS": desktop.address])
        try app.order("authorize", until: "authorized true")
        try app.order("categories", until: "categories")
        return (app, process)
    }

    @Test func `the desktop shows it, with its actions, and the story says so`() throws {
        let desktop = try TestDesktop()
        let (app, process) = try app(on: desktop)
        defer { process.kill(SIGKILL) }
        try app.order("add one 0 <b>Fern&Co", until: "willPresent one")
        let line = try desktop.told("notify 1")
        #expect(
            line == #"notify 1 ["Plants", "<b>Fern&Co", "It is dry.", ["#
                + #""default", "Open", "open", "Open", "done", "Done"], {"urgency": 1, "suppress-sound": 0}]"#
        )
        try app.story("notification '<b>Fern&Co' is shown on the desktop")
    }

    @Test func `the program between daemon and desktop opens closed descriptors on the null device`() throws {
        let desktop = try TestDesktop()
        let daemon = try DaemonFixture()
        #expect(try daemon.run("list").isSuccess)
        var environment = ChildProcess.inheritedEnvironment
        environment["OFFSTAGE_HOME"] = daemon.home
        environment["DBUS_SESSION_BUS_ADDRESS"] = desktop.address
        let program = try BuiltProducts.path("offstage-notifier")
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", "exec \"$0\" <&- >&- 2>&-", program],
            environment: environment
        )
        defer { process.kill(SIGKILL) }
        let folder = "/proc/\(process.processID)/fd"
        try eventually("it has its connections, and none of them a standard descriptor") {
            let open = TestFiles.names(in: folder).compactMap { number in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(number)")).map { (number, $0) }
            }
            let standard = open.filter { ["0", "1", "2"].contains($0.0) }.map(\.1)
            return standard == ["/dev/null", "/dev/null", "/dev/null"]
                && open.count { $0.1.hasPrefix("socket:") } >= 2 ? true : nil
        }
    }

    @Test(arguments: ["suspended", "killed"])
    func `a click on it, or on an action of it, reaches the app`(before: String) throws {
        let desktop = try TestDesktop()
        let (app, process) = try app(on: desktop)
        defer { process.kill(SIGKILL) }
        try app.order("add one 0 One", until: "willPresent one")
        try app.order("add two 0 Two", until: "willPresent two")
        _ = try desktop.told("notify 2")
        try app.act(.background)
        try app.waitUntil(.suspended)
        if before == "killed" {
            process.kill(SIGKILL)
            _ = try process.exitStatus()
            try app.waitUntil(.terminated)
        }
        try desktop.order("invoke 1 done")
        try app.line("didReceive one done background")
        try app.waitUntil(.suspended)
        try desktop.order("invoke 2 default")
        try app.line("didReceive two com.apple.UNNotificationDefaultActionIdentifier active")
        #expect(try app.rows().isEmpty)
        #expect(try app.state == .active)
        try app.act(.terminate)
    }

    @Test func `what expires there stays in the app's list, and what a person removes does not`() throws {
        let desktop = try TestDesktop()
        let (app, process) = try app(on: desktop)
        defer { process.kill(SIGKILL) }
        for name in ["one", "two", "three"] { try app.order("add \(name) 0", until: "willPresent \(name)") }
        _ = try desktop.told("notify 3")
        try desktop.order("close 1 1")
        try desktop.order("close 2 2")
        try eventually("two is gone") {
            try app.rows().contains { $0.identifier == "two" } ? nil : true
        }
        #expect(Set(try app.rows().map(\.identifier)) == ["one", "three"])
        // The app withdraws the notification that is still there, and no other is withdrawn from the desktop.
        try app.order("remove three\ndelivered", until: #"delivered ["one"]"#)
        #expect(try desktop.told("close") == "close 3")
    }

    @Test func `another server's notifications are not taken for those of the one before`() throws {
        let desktop = try TestDesktop()
        let (app, process) = try app(on: desktop)
        defer { process.kill(SIGKILL) }
        for name in ["one", "two"] { try app.order("add \(name) 0", until: "willPresent \(name)") }
        _ = try desktop.told("notify 2")
        try desktop.restartServer()
        try app.order("add three 0", until: "willPresent three")
        _ = try desktop.told("notify 1")
        // Another program's notification, with the number that the app's second one had.
        try desktop.order("close 2 2")
        try desktop.order("close 1 2")
        try eventually("three is gone") {
            try app.rows().contains { $0.identifier == "three" } ? nil : true
        }
        #expect(Set(try app.rows().map(\.identifier)) == ["one", "two"])
    }

    @Test func `a desktop that takes none is told in the story`() throws {
        let desktop = try TestDesktop(hasServer: false)
        let (app, process) = try app(on: desktop)
        defer { process.kill(SIGKILL) }
        try app.order("add one 0", until: "willPresent one")
        try app.story("is not shown: the desktop did not show it: ")
        #expect(try app.rows().map(\.identifier) == ["one"])
    }
}
