// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageTestSupport
import Testing

/// An app with UIKit's life cycle, as a process, with the real daemon.
@Suite(.serialized) struct LifeCycleTests {
    private static let foregroundLaunch = [
        "willFinishLaunching without options (inactive)", "didFinishLaunching as delegate (inactive)",
        "posted didFinishLaunching (inactive)", "didBecomeActive (active)", "posted didBecomeActive (active)",
    ]

    @Test func `a launch in foreground calls the delegate first and posts second, on the main thread`() throws {
        let app = try LivingApp(try DaemonFixture())
        let process = try app.open()
        #expect(app.texts == Self.foregroundLaunch)
        #expect(process.isRunning)
    }

    @Test func `without a daemon an app is launched in foreground at once, and says so`() throws {
        let app = try LivingApp(try DaemonFixture())
        let process = try app.open(["OFFSTAGED": "/nowhere/offstaged"])
        #expect(app.texts == Self.foregroundLaunch)
        let started = try app.line("started"), willFinish = try app.line("willFinishLaunching")
        #expect(willFinish.time - started.time < 2, "It has waited.")
        #expect(process.errors.hasPrefix("No daemon answers: the app runs in the foreground"))
        #expect(process.isRunning)
    }

    @Test(arguments: ["usual", "own-loop"])
    func `what an app prints goes to no descriptor of the library's where its output is closed`(kind: String) throws {
        let app = try LivingApp(try DaemonFixture(), flags: kind)
        let process = try app.start(shell: "exec \"$@\" >&- 2>&-")
        try app.line("posted didBecomeActive (active)")
        for number in 1...2 {
            let path = "/proc/\(process.processID)/fd/\(number)"
            let file = try FileManager.default.destinationOfSymbolicLink(atPath: path)
            // The app may open its own files before it calls the library.
            #expect(file == "/dev/null" || file.hasPrefix(app.folder + "/"), "\(file)")
        }
    }

    @Test func `a delegate that is no responder is made by its own initializer`() throws {
        let app = try LivingApp(try DaemonFixture(), flags: "plain")
        let process = try app.start()
        try app.line("didBecomeActive as its initializer has it")
        #expect(
            app.texts == [
                "didFinishLaunching as its initializer has it (inactive)",
                "didBecomeActive as its initializer has it (active)",
            ]
        )
        #expect(process.isRunning)
    }

    @Test func `an app goes to background, is suspended, and comes back, as the tables say`() throws {
        let app = try LivingApp(try DaemonFixture())
        let process = try app.open()
        try app.act(.background)
        try app.waitUntilStopped(process)
        try app.act(.foreground)
        try app.line("posted didBecomeActive", after: 6)
        #expect(
            app.texts == Self.foregroundLaunch + [
                "willResignActive (active)", "posted willResignActive (active)",
                "didEnterBackground (background)", "posted didEnterBackground (background)",
                "willEnterForeground (background)", "posted willEnterForeground (background)",
                "didBecomeActive (active)", "posted didBecomeActive (active)",
            ]
        )
    }

    @Test func `an app that is launched in background is there from the beginning`() throws {
        let app = try LivingApp(try DaemonFixture())
        let process = try app.open()
        process.kill(SIGTERM)
        _ = try process.exitStatus()
        let before = app.lines.count
        try app.act(.launch(inBackground: true))
        try app.line("posted didFinishLaunching", after: before)
        try eventually("it is suspended") { try app.show().row.state == .suspended ? true : nil }
        #expect(
            app.lines.dropFirst(before + 1).map(\.text) == [
                "willFinishLaunching without options (background)", "didFinishLaunching as delegate (background)",
                "posted didFinishLaunching (background)",
            ]
        )
    }

    @Test func `where the settings say so, it is told that it enters it, as the documentation has it`() throws {
        let app = try LivingApp(try DaemonFixture(settings: #"{"entersBackgroundAtLaunch": true}"#))
        let process = try app.open()
        process.kill(SIGTERM)
        _ = try process.exitStatus()
        let before = app.lines.count
        try app.act(.launch(inBackground: true), waits: false)
        try app.line("posted didEnterBackground", after: before)
        #expect(
            app.lines.dropFirst(before + 1).map(\.text) == [
                "willFinishLaunching without options (background)", "didFinishLaunching as delegate (background)",
                "posted didFinishLaunching (background)", "didEnterBackground (background)",
                "posted didEnterBackground (background)",
            ]
        )
    }

    @Test func `an app hears whether its refresh tasks run, and when that changes`() throws {
        let daemon = try DaemonFixture(settings: #"{"deferredWork": {"refresh": false}}"#)
        let app = try LivingApp(daemon)
        let process = try app.open()
        try app.order("refresh")
        try app.line("refresh denied")
        let before = app.texts.count
        // The only app with this setting.
        try daemon.settings(
            "{\"deferredWork\": {\"refresh\": false}, \"apps\": {\"\(app.id)\": {\"backgroundRefresh\": true}}}"
        )
        try daemon.killDaemon()
        try app.line("posted backgroundRefreshStatusDidChange (active)")
        try app.order("refresh")
        try app.line("refresh available")
        #expect(
            Array(app.texts.dropFirst(before)) == [
                "posted backgroundRefreshStatusDidChange (active)", "refresh available",
            ]
        )
        #expect(process.isRunning)
    }

    @Test func `a memory warning reaches a running app`() throws {
        let app = try LivingApp(try DaemonFixture())
        let process = try app.open()
        // The app logs that it is active before the daemon is notified.
        try eventually("the daemon knows that the app is active") { try app.show().row.state == .active ? true : nil }
        try app.act(.memoryWarning, waits: false)
        try app.line("posted didReceiveMemoryWarning (active)")
        #expect(process.isRunning)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `a signal that ends programs ends an app as the system does`(signal: Int32) throws {
        let app = try LivingApp(try DaemonFixture())
        let process = try app.open()
        process.kill(signal)
        #expect(try process.exitStatus() == .exited(0))
        #expect(app.texts.suffix(2) == ["willTerminate (active)", "posted willTerminate (active)"])
    }

    @Test func `a signal that the app ignores stays ignored`() throws {
        let app = try LivingApp(try DaemonFixture(), flags: "ignores-term")
        let process = try app.open()
        process.kill(SIGTERM)
        try app.order("remaining")
        try app.line("remaining")
        process.kill(SIGINT)
        #expect(try process.exitStatus() == .exited(0))
        #expect(app.texts.filter { $0.hasPrefix("willTerminate") }.count == 1)
    }

    @Test func `the daemon's order to end is carried out by way of the delegate`() throws {
        let app = try LivingApp(try DaemonFixture())
        let process = try app.open()
        try app.act(.terminate)
        #expect(try process.exitStatus() == .exited(0))
        #expect(app.texts.suffix(2) == ["willTerminate (active)", "posted willTerminate (active)"])
    }

    @Test func `a second process of an app says that there is one, and exits with 69`() throws {
        let app = try LivingApp(try DaemonFixture())
        let first = try app.open()
        let result = try app.start().result()
        #expect(result.status == .exited(69))
        #expect(result.errors.split(separator: "\n").count == 1, "\(result)")
        #expect(first.isRunning)
        #expect(app.texts == Self.foregroundLaunch)
    }

    @Test func `an app outlives the daemon and follows the next`() throws {
        let app = try LivingApp(try DaemonFixture())
        let process = try app.open()
        try app.daemon.killDaemon()
        // The app starts the next daemon.
        try eventually("there is a daemon, and the app is before it") {
            (try? app.show().row.process) == process.processID ? true : nil
        }
        try app.act(.background)
        try app.waitUntilStopped(process)
        try app.line("posted didEnterBackground")
    }

    @Test func `an app that was launched without a daemon is led by one that comes`() throws {
        let app = try LivingApp(try DaemonFixture())
        // Configured, but not there yet.
        let program = app.daemon.path("offstaged")
        let process = try app.open(["OFFSTAGED": program])
        symlink(try BuiltProducts.path("offstaged"), program)
        try eventually("the app is before the daemon", within: 60) {
            (try? app.show().row.process) == process.processID ? true : nil
        }
        try app.act(.background)
        try app.waitUntilStopped(process)
    }

    @Test func `an app with a main loop of its own says when it is seen`() throws {
        let app = try LivingApp(try DaemonFixture(), flags: "own-loop")
        let process = try app.open()
        try app.line("took the stage")
        try app.order("hide")
        try app.waitUntilStopped(process)
        try app.act(.foreground)
        try app.line("posted didBecomeActive", after: 7)
        #expect(
            app.texts == Self.foregroundLaunch + [
                "took the stage",
                "willResignActive (active)", "posted willResignActive (active)",
                "didEnterBackground (background)", "posted didEnterBackground (background)",
                "willEnterForeground (background)", "posted willEnterForeground (background)",
                "didBecomeActive (active)", "posted didBecomeActive (active)",
            ]
        )
    }

    @Test func `a second process is launched only when the one that was told to end has ended`() throws {
        let app = try LivingApp(try DaemonFixture())
        let first = try app.open()
        // As one whose applicationWillTerminate does not return.
        first.kill(SIGSTOP)
        try app.waitUntilStopped(first)
        try app.act(.quit(keepsTransfers: false), waits: false)
        let before = app.lines.count
        let second = try app.start()
        try app.line("willFinishLaunching", after: before)
        let state = LivingApp.kernelState(of: first)
        #expect(state == nil || state == "Z")
        #expect(try first.exitStatus() == .signalled(SIGKILL))
        let ended = try eventually("the end of the first is on record") {
            try app.show().row.process == second.processID ? true : nil
        }
        #expect(ended)
    }

    @Test func `an app that is seen again comes back though it had never said that it was hidden`() throws {
        let app = try LivingApp(try DaemonFixture(), flags: "own-loop")
        let process = try app.open()
        try app.order("show")
        try app.order("begin work")
        try app.line("began work")
        try app.act(.background, waits: false)
        try app.line("posted didEnterBackground")
        try app.order("show")
        try app.line("posted willEnterForeground")
        try app.line("posted didBecomeActive", after: 8)
        var before = app.lines.count
        try app.order("hide")
        try app.line("posted didEnterBackground", after: before)
        // The same in the opposite direction.
        before = app.lines.count
        try app.act(.foreground)
        try app.line("posted didBecomeActive", after: before)
        before = app.lines.count
        try app.order("hide")
        try app.line("posted didEnterBackground", after: before)
        #expect(process.isRunning)
    }

    @Test func `a suspended app that somebody continues is stopped again`() throws {
        let app = try LivingApp(try DaemonFixture())
        let process = try app.open()
        try app.act(.background)
        try app.waitUntilStopped(process)
        // The kernel shows it running when this returns.
        process.kill(SIGCONT)
        try app.waitUntilStopped(process)
        #expect(try app.show().row.state == .suspended)
    }

    @Test func `a person's order outlives the daemon, whatever the app's own loop has said before`() throws {
        let app = try LivingApp(try DaemonFixture(), flags: "own-loop")
        let process = try app.open()
        try app.order("show")
        try app.order("begin work")
        // The app's reports arrive in order.
        try eventually("the daemon has heard of both") { try app.show().tasks.map(\.name) == ["work"] ? true : nil }
        try app.act(.background, waits: false)
        try app.line("posted didEnterBackground")
        try app.daemon.killDaemon()
        try eventually("there is a daemon, and the app is before it") {
            (try? app.show().row.process) == process.processID ? true : nil
        }
        try app.order("end 1")
        try app.waitUntilStopped(process)
        #expect(!app.texts.contains { $0.hasPrefix("willEnterForeground") })
    }
}
