// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

/// A daemon that was started by the app that it suspends.
@Suite struct `A daemon that descends from its app` {
    private let daemon: DaemonFixture

    init() throws { daemon = try DaemonFixture() }

    /// Starts a daemon, and then the app in the shell's own process: the daemon is the app's child, in its session.
    private func start(_ app: WiredApp, asGroupLeader isLeader: Bool) throws -> ChildProcess {
        try daemon.killDaemon()
        let begin = "\"$1\" & while ! [ -S \"$2/run/daemon.sock\" ]; do :; done; exec \"$3\" \"$4\""
        unlink(daemon.home + "/run/daemon.sock")
        return try ChildProcess(
            "/bin/sh",
            ["-c", isLeader ? begin : "( \(begin) ); :", "sh", BuiltProducts.path("offstaged"), daemon.home]
                + [app.executable, app.folder],
            environment: ChildProcess.inheritedEnvironment.merging(["OFFSTAGE_HOME": daemon.home]) { $1 },
            directory: app.folder
        )
    }

    @Test(arguments: [true, false]) func `goes on when it suspends, continues and ends the app`(
        isLeader: Bool
    ) throws {
        let app = try WiredApp(daemon)
        let shell = try start(app, asGroupLeader: isLeader)
        defer { withExtendedLifetime(shell) {} }
        try app.line("state active")
        let before = try daemon.daemon().processID
        try app.act(.background)
        try app.waitUntilStopped()
        try app.wait(for: .suspended)
        try app.act(.foreground, waits: true)
        #expect(try app.state == .active)
        try app.act(.background)
        try app.wait(for: .suspended)
        try app.act(.quit(keepsTransfers: true), waits: true)
        try app.waitUntilGone()
        #expect(try daemon.daemon().processID == before)
    }
}
