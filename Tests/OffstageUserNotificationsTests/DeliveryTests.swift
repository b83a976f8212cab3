// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

@Suite(.serialized) struct DeliveryTests {
    private func authorized(_ words: String, _ environment: [String: String] = [:]) throws -> (
        NotifyingApp, ChildProcess
    ) {
        let app = try NotifyingApp(try DaemonFixture(), words)
        let process = try app.open(environment)
        try app.order("authorize", until: "authorized true without error")
        return (app, process)
    }

    @Test func `an app that has not asked may not notify, and hears why`() throws {
        let app = try NotifyingApp(try DaemonFixture())
        let process = try app.open()
        #expect(try app.order("settings", until: "settings") == "settings notDetermined")
        let line = try app.order("add one 0", until: "added one")
        #expect(line.contains("requestAuthorization"), "\(line)")
        try eventually("it stands on standard error") {
            process.errors.contains("The notification 'one' was not accepted") ? true : nil
        }
        try app.order("authorize", until: "authorized true")
        #expect(try app.order("settings", until: "settings") == "settings authorized")
    }

    @Test func `what an app notifies goes over the one connection of its life`() throws {
        let (app, process) = try authorized("")
        try app.order("add one 3600", until: "added one without error")
        #expect(try DaemonSockets.count(of: process.processID, to: app.daemon.home + "/run/daemon.sock") == 1)
        try app.daemon.killDaemon()
        try app.order("pending", until: "pending")
        #expect(try DaemonSockets.count(of: process.processID, to: app.daemon.home + "/run/daemon.sock") == 1)
    }

    @Test func `a person's setting forbids them`() throws {
        let daemon = try DaemonFixture()
        try daemon.settings(#"{"apps": {"org.example.notices": {"notifications": false}}}"#)
        let app = try NotifyingApp(daemon)
        let process = try app.open()
        defer { process.kill(SIGKILL) }
        try app.order("authorize", until: "authorized false without error")
        #expect(try app.order("settings", until: "settings") == "settings denied")
        #expect(try app.order("add one 0", until: "added one").contains("settings.json"))
    }

    @Test(arguments: ["running", "killed", "daemon killed"])
    func `one that is due is delivered, whoever was killed meanwhile`(what: String) throws {
        let (app, process) = try authorized("")
        try app.order("add one 1.5 Fern", until: "added one without error")
        #expect(try app.order("pending", until: "pending") == #"pending ["one"]"#)
        try app.act(.background)
        try app.waitUntil(.suspended)
        if what == "killed" {
            process.kill(SIGKILL)
            _ = try process.exitStatus()
        } else if what == "daemon killed" {
            try app.daemon.killDaemon()
            #expect(try app.daemon.run("list").isSuccess)
        }
        let row = try app.delivered("one")
        #expect(row.title == "Fern")
        #expect(row.body == "It is dry.")
        try app.story("notification 'Fern' was delivered, but is not shown: there is no desktop session")
    }

    @Test func `an app in front decides whether it is seen`() throws {
        let (app, process) = try authorized("shows")
        defer { process.kill(SIGKILL) }
        try app.order("add one 0", until: "willPresent one main true")
        try app.delivered("one")
        #expect(try app.order("delivered", until: "delivered") == #"delivered ["one"]"#)
    }

    @Test func `an app in front that does not want it seen keeps it from the list`() throws {
        let (app, process) = try authorized("")
        defer { process.kill(SIGKILL) }
        try app.order("add one 0", until: "willPresent one")
        try app.story("is not shown: the app was in front")
        #expect(try app.rows().isEmpty)
        #expect(try app.state == .active)
    }

    @Test func `both lists are the app's to clear`() throws {
        let (app, process) = try authorized("shows")
        defer { process.kill(SIGKILL) }
        try app.order("add one 3600", until: "added one")
        try app.order("add two 0", until: "willPresent two")
        try app.delivered("two")
        try app.order("add daily 07:30", until: "added daily without error")
        #expect(try app.rows().count == 3)
        #expect(try app.rows().first { $0.identifier == "daily" }?.repeats == true)
        let bytes = "remove one two daily"
        #expect(try app.order("\(bytes)\npending", until: "pending") == "pending []")
        #expect(try app.order("delivered", until: "delivered") == "delivered []")
        #expect(try app.rows().isEmpty)
    }

    @Test func `time that runs ahead delivers a daily one each day, and its app sleeps on`() throws {
        let (app, process) = try authorized("")
        defer { process.kill(SIGKILL) }
        try app.order("add daily 07:30", until: "added daily without error")
        try app.act(.background)
        try app.waitUntil(.suspended)
        #expect(try app.daemon.run(["simulate", "advance", "3d"], within: 60).isSuccess)
        try app.delivered("daily")
        // The desktop's response to the last one reaches the daemon when time has run.
        try eventually("each of the three is in the story") {
            let told = try app.daemon.run("app", "log", app.id).output.split(separator: "\n")
            return told.count { $0.contains("notification 'Water") } == 3 ? true : nil
        }
        #expect(try app.state == .suspended)
    }
}
