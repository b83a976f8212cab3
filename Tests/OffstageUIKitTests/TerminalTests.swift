// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

/// An app in a terminal with a shell, with the real daemon.
@Suite(.serialized) struct TerminalTests {
    private let app: LivingApp

    init() throws { app = try LivingApp(try DaemonFixture()) }

    @Test func `an app that reads its terminal goes on behind it, and reads on when it is back`() throws {
        unlink(app.folder + "/orders")
        symlink("/dev/tty", app.folder + "/orders")
        let terminal = try terminal("'\(app.id)' '\(app.folder)'")
        let process = try started()
        // Like Ctrl-Z, which would go to the whole group.
        kill(process, SIGTSTP)
        try app.line("posted didEnterBackground")
        try waitUntilStopped(process)
        #expect(try app.show().row.state == .suspended)
        try bringBack()
        try app.line("posted willEnterForeground")
        try terminal.type("remaining\n")
        try app.line("remaining")
        #expect(try !app.story().contains { if case .killed = $0 { true } else { false } })
    }

    @Test func `an app that was begun behind its terminal and suspended comes back with fg`() throws {
        let terminal = try terminal("'\(app.id)' '\(app.folder)' &")
        let process = try started()
        try app.act(.background)
        try waitUntilStopped(process)
        try bringBack()
        try app.line("posted willEnterForeground")
        try eventually("it is active") { try app.show().row.state == .active ? true : nil }
        // From here on the app owns the terminal.
        let before = app.lines.count
        kill(process, SIGTSTP)
        try app.line("posted didEnterBackground", after: before)
        try waitUntilStopped(process)
        withExtendedLifetime(terminal) {}
    }

    @Test func `one that is brought back in the instant in which it is stopped stays in front`() throws {
        // A shell that does not wait: its fg comes before the daemon has checked whether the app is stopped.
        let terminal = try TestTerminal(
            app,
            """
            '\(app.id)' '\(app.folder)' &
            until jobs -s >stopped; [ -s stopped ]; do :; done
            fg
            sleep 100

            """
        )
        let process = try started()
        try app.act(.background)
        try app.line("posted willEnterForeground")
        try eventually("it is active, and not \(try app.show().row.state)") {
            try app.show().row.state == .active ? true : nil
        }
        #expect(LivingApp.kernelState(of: process) != "T")
        withExtendedLifetime(terminal) {}
    }

    @Test func `an app that a command brought to the front behind its terminal stays there with a new daemon`() throws {
        let terminal = try terminal("'\(app.id)' '\(app.folder)'")
        let process = try started()
        kill(process, SIGTSTP)
        try waitUntilStopped(process)
        try app.line("posted didEnterBackground")
        try app.act(.foreground)
        let before = app.lines.count
        try app.daemon.killDaemon()
        try eventually("there is a daemon, and it has found the app") {
            (try? app.show().row.process) == process ? true : nil
        }
        try eventually("the app is before it, in front") { try app.show().row.state == .active ? true : nil }
        try app.order("remaining")
        try app.line("remaining", after: before)
        #expect(try app.show().row.state == .active)
        #expect(!app.lines.dropFirst(before).contains { $0.text.hasPrefix("willResignActive") })
        withExtendedLifetime(terminal) {}
    }

    /// A shell that starts the app, and brings it to the front on request.
    private func terminal(_ command: String) throws -> TestTerminal {
        try TestTerminal(app, "\(command)\nuntil [ -e '\(app.folder)/back' ]; do sleep 0.05; done\nfg\nsleep 100\n")
    }

    private func bringBack() throws { try TestFiles.write("", to: app.folder + "/back") }

    /// Waits until the app is in use.
    private func started() throws -> Int32 {
        try app.line("posted didBecomeActive")
        return try #require(Int32(try app.line("started").text.dropFirst("started ".count)))
    }

    private func waitUntilStopped(_ process: Int32) throws {
        try eventually("the app is stopped; it said \(app.texts)") {
            LivingApp.isStopped(process) ? true : nil
        }
    }
}
