// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// The daemon traps over an app, or over something that it handed over: transfers continue.
@Suite(.serialized) struct `A daemon that traps over an app` {
    private static let id = "com.example.wired"
    private let daemon: DaemonFixture
    private let server: FaultServer

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
        server.script("/file", .status(200, body: "content"))
    }

    private func arrives(_ name: String, _ environment: [String: String]) throws {
        try eventually("a transfer arrives", within: 60) {
            let result = try daemon.run(
                ["download", server.url("/file"), "-o", name, "--force"],
                environment: environment
            )
            return result.isSuccess ? true : nil
        }
    }

    /// A stack overflow leaves no room for its own report, on any thread.
    @Test(arguments: ["", "overflow-"])
    func `an app that cannot be launched without a crash is set aside until a person launches it`(kind: String) throws {
        let wired = try WiredApp(daemon, name: "wired", bundle: Self.id)
        #expect(try daemon.run("app", "install", daemon.path("wired.app"), "--", wired.folder).isSuccess)
        try daemon.killDaemon()
        let environment = ["OFFSTAGE_FAULT": "\(kind)trap-in-launch:\(Self.id)"]
        for _ in 0..<6 { _ = try daemon.run(["app", "launch", "wired"], environment: environment) }
        try arrives("one", environment)
        let status = try daemon.run(["daemon", "status"], environment: environment).output
        #expect(status.contains("launching the app \(Self.id)"), "\(status)")
        try daemon.killDaemon()
        try daemon.startOnDemand()
        #expect(try daemon.run("app", "launch", "wired").isSuccess)
    }

    @Test func `a journal that cannot be read without a crash is set aside, and its app connects again`() throws {
        try daemon.startOnDemand()
        let file = try daemon.makeFile("a", bytes: 10)
        let client = try SessionClient(daemon)
        _ = try client.send(OpenSession(identifier: "s"))
        try client.append([.submit(client.upload(1, file.path, to: server.url("/file")))])
        let app = client.app.app
        try daemon.killDaemon()
        let environment = ["OFFSTAGE_FAULT": "trap-in-journal:\(app)"]
        try eventually("the journal is set aside", within: 60) {
            let result = try daemon.run(["daemon", "status"], environment: environment)
            if !result.isSuccess { _ = try daemon.run(["list"], environment: environment) }
            return result.output.contains("is set aside for a day") ? true : nil
        }
        try arrives("one", environment)
        #expect(daemon.log.contains("a journal is set aside, since it was being read whenever the daemon crashed: "))
    }
}
