// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

/// A refusal is reported on standard error, and a programming error stops the program with a sentence.
@Suite(.serialized) struct RefusalTests {
    private typealias App = DeferringApp

    /// The output of the process when an error has stopped it.
    private func sentence(of process: ChildProcess) throws -> String {
        let result = try process.result()
        #expect([.signalled(SIGTRAP), .signalled(SIGILL)].contains(result.status), "\(result)")
        return result.errors
    }

    /// Without a stack trace, which takes time.
    private static let untraced = ["SWIFT_BACKTRACE": "enable=no"]

    private func open(_ words: String...) throws -> (App, ChildProcess) {
        let app: App
        switch words.count {
        case 0: app = try App(try DaemonFixture())
        case 1: app = try App(try DaemonFixture(), words[0])
        default: app = try App(try DaemonFixture(), words[0], words[1])
        }
        return (app, try app.start(Self.untraced))
    }

    @Test func `a handler that is registered after the launch stops the program`() throws {
        let (app, process) = try open()
        try app.line("didBecomeActive")
        try app.order("register nil \(App.processing)")
        let errors = try sentence(of: process)
        #expect(errors.contains("All launch handlers must be registered before application finishes launching"))
        #expect(errors.contains("The one for '\(App.processing)' came later"), "\(errors)")
    }

    @Test func `a handler that is registered twice stops the program`() throws {
        let (app, process) = try open("nil:\(App.refresh)", "main:\(App.refresh)")
        #expect(try sentence(of: process).contains("with identifier \(App.refresh) has already been registered"))
        #expect(app.count("registered") == 1)
    }

    @Test func `a request without a handler stops the program`() throws {
        let (app, process) = try open()
        try app.line("didBecomeActive")
        try app.order("submit refresh \(App.refresh)")
        let errors = try sentence(of: process)
        #expect(errors.contains("No launch handler registered for task with identifier \(App.refresh)"), "\(errors)")
    }

    @Test func `a handler for what Info.plist does not permit is not registered, and it is said why`() throws {
        let (app, process) = try open("nil:org.example.other")
        try app.line("registered org.example.other false")
        try app.line("didBecomeActive")
        process.kill(SIGTERM)
        let errors = try process.result().errors
        #expect(errors.contains("No handler was registered for 'org.example.other'"), "\(errors)")
        #expect(errors.contains("(\(app.daemon.files)/Tasks.app/Info.plist or "), "\(errors)")
    }

    @Test func `a request for what Info.plist does not permit is refused, and on record`() throws {
        let (app, process) = try open("nil:org.example.other")
        try app.line("didBecomeActive")
        for identifier in ["org.example.other", "org.example.unheard"] {
            let refused = "refused \(identifier) notPermitted"
            #expect(try app.order("submit refresh \(identifier)", until: "refused") == refused)
            let entry = try app.tasks().history.first { $0.identifier == identifier }
            guard case .refused(code: 3, _)? = entry?.outcome else {
                Issue.record("\(try app.tasks().history)")
                return
            }
        }
        process.kill(SIGTERM)
        let errors = try process.result().errors
        #expect(errors.contains("org.example.other was not accepted: it is not permitted; add it"), "\(errors)")
    }

    @Test func `a request that is refused throws its code, and says why once on standard error`() throws {
        let daemon = try DaemonFixture(settings: #"{"strict": true}"#)
        let app = try App(daemon, "nil:\(App.refresh)", "nil:\(App.processing)")
        let process = try app.open()
        try app.order("submit refresh \(App.refresh) in=3600", until: "submitted \(App.refresh)")
        let refused = "refused \(App.processing) tooManyPendingTaskRequests"
        for _ in 1...2 {
            #expect(try app.order("submit refresh \(App.processing)", until: "refused") == refused)
        }
        process.kill(SIGTERM)
        let errors = try process.result().errors.split(separator: "\n").filter { $0.contains(App.processing) }
        #expect(errors.count == 1, "\(errors)")
        #expect(
            errors.first?.hasPrefix("BackgroundTasks: \(App.processing) was not accepted: 1 refresh request") == true
        )
    }

    @Test func `a refresh request without the background mode is refused`() throws {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)", modes: ["processing"])
        let process = try app.open()
        #expect(
            try app.order("submit refresh \(App.refresh)", until: "refused") == "refused \(App.refresh) notPermitted"
        )
        process.kill(SIGTERM)
        #expect(try process.result().errors.contains("UIBackgroundModes"))
    }

    @Test func `without a daemon a request is unavailable, and the app runs all the same`() throws {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)")
        let process = try app.start(["OFFSTAGED": "/nowhere/offstaged"])
        try app.line("didBecomeActive")
        #expect(app.lines.contains("registered \(App.refresh) true"))
        #expect(
            try app.order("submit refresh \(App.refresh)", until: "refused") == "refused \(App.refresh) unavailable"
        )
        process.kill(SIGTERM)
        let result = try process.result()
        #expect(result.status == .exited(0))
        #expect(result.errors.contains("The program offstaged was not found"), "\(result)")
    }

    @Test func `a daemon that does not come up holds the app up for some seconds only`() throws {
        let app = try App(try DaemonFixture(), "nil:\(App.refresh)", "nil:\(App.processing)")
        let program = app.daemon.path("offstaged")
        try TestFiles.write("#!/bin/sh\nexec sleep 40\n", to: program)
        chmod(program, 0o700)
        let process = try app.start(["OFFSTAGED": program])
        try app.line("didBecomeActive")
        #expect(app.lines.contains("registered \(App.processing) true"))
        #expect(
            try app.order("submit refresh \(App.refresh)", until: "refused") == "refused \(App.refresh) unavailable"
        )
        process.kill(SIGTERM)
        #expect(try process.result().status == .exited(0))
    }

    @Test func `a program that is no app cannot submit, and hears so`() throws {
        let app = try App(try DaemonFixture(), "off-stage")
        let result = try app.start().result()
        #expect(app.lines.contains("refused \(App.refresh) unavailable"))
        #expect(result.errors.contains("call UIApplicationMain"), "\(result)")
    }
}
