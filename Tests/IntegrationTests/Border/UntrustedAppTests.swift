// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Apps in a place where another user could replace the program.
@Suite struct `An app that another user could replace` {
    private let daemon: DaemonFixture

    init() throws {
        daemon = try DaemonFixture()
        // The other user can reach the files; the home stays closed.
        chmod(daemon.directory.path, 0o755)
    }

    /// An app that ran and has ended.
    private func ended() throws -> WiredApp {
        let app = try WiredApp(daemon, name: "app", bundle: "com.example.app")
        try app.open()
        try app.order("exit 0")
        try app.wait(for: .terminated)
        return app
    }

    private func expectRefusal(_ app: WiredApp, _ words: String...) throws {
        let count = app.lines.count
        let error = #expect(throws: WireFailure.self) { try app.act(.launch(inBackground: true), waits: true) }
        let problem = try app.show().launchProblem ?? ""
        for word in ["could have been changed by another user"] + words {
            #expect(error?.message.contains(word) == true, "\(String(describing: error))")
            #expect(problem.contains(word), "\(problem)")
        }
        #expect(try app.story().contains { if case .launchFailed = $0 { true } else { false } })
        #expect(app.lines.count == count)
        #expect(try daemon.run("app", "info", app.id).output.contains("could have been changed by another user"))
    }

    @Test func `is launched as long as nobody else may write where it lies`() throws {
        let app = try ended()
        #expect(try app.show().launchProblem == nil)
        try app.act(.launch(inBackground: false), waits: true)
        #expect(try app.state == .active)
        let status = try TestFiles.text("/proc/\(app.processID())/status")
        #expect(status.hasPrefix("Name:\tapp\n"), "\(status.prefix(40))")
    }

    @Test(arguments: ["app.app", "app.app/app", "app.app/Info.plist", ""])
    func `is not launched once everybody may write one of these`(name: String) throws {
        let app = try ended()
        let path = name.isEmpty ? daemon.files : daemon.path(name)
        chmod(path, 0o777)
        defer { chmod(path, 0o755) }
        if name.hasSuffix("plist") {
            // Its claims are no longer trusted, and the program belongs to no bundle.
            chmod(path, 0o777)
            #expect(
                try daemon.run("app", "install", daemon.path("app.app")).errors.contains("may be written by everybody")
            )
            return
        }
        try expectRefusal(app, "\(path) may be written by everybody", "chmod o-w \(path)")
    }

    @Test(.enabled(if: Privileges.isRoot, "needs root"))
    func `is not launched once another user has put a program in its place`() throws {
        let app = try ended()
        let bundle = daemon.path("app.app")
        chmod(bundle, 0o1777)
        let theirs = try DaemonFixture.asOther("cp \(app.executable) \(bundle)/theirs; chmod 755 \(bundle)/theirs")
        #expect(theirs.isSuccess, "\(theirs)")
        #expect(rename(bundle + "/theirs", app.executable) == 0)
        try expectRefusal(app, "\(app.executable) belongs to user 65534")
        // Nor through a link.
        try TestFiles.makeDirectory(daemon.path("moved"))
        chmod(daemon.path("moved"), 0o1777)
        #expect(rename(bundle, daemon.path("moved/app.app")) == 0)
        let linked = try DaemonFixture.asOther("ln -s moved/app.app \(daemon.path("link"))")
        #expect(!linked.isSuccess)
        chmod(daemon.files, 0o1777)
        defer { chmod(daemon.files, 0o755) }
        #expect(try DaemonFixture.asOther("ln -s moved/app.app \(bundle)").isSuccess)
        try expectRefusal(app, "\(bundle) belongs to user 65534")
    }

    @Test(.enabled(if: Privileges.isRoot, "needs root"))
    func `is not taken for another because of an Info.plist that somebody else has laid beside it`() throws {
        let app = try WiredApp(daemon, name: "bare")
        let folder = daemon.path("shared")
        try TestFiles.makeDirectory(folder)
        chmod(folder, 0o1777)
        let copy = folder + "/tool"
        try TestFiles.write(try TestFiles.read(app.executable), to: copy, mode: 0o755)
        let plist =
            "<plist><dict><key>CFBundleIdentifier</key><string>com.evil</string>"
            + "<key>CFBundleExecutable</key><string>tool</string></dict></plist>"
        #expect(try DaemonFixture.asOther("echo '\(plist)' > \(folder)/Info.plist").isSuccess)
        let process = try ChildProcess(
            copy,
            [app.folder],
            environment: ChildProcess.inheritedEnvironment.merging(["OFFSTAGE_HOME": daemon.home]) { $1 },
            directory: folder
        )
        try app.line("state active")
        let rows = try WireClient.greeted(daemon).send(ListApps()).rows
        #expect(rows.map(\.id) == [copy])
        withExtendedLifetime(process) {}
    }

    @Test func `is refused when it is to be installed`() throws {
        let app = try ended()
        try app.act(.remove)
        chmod(daemon.path("app.app"), 0o777)
        let result = try daemon.run("app", "install", daemon.path("app.app"))
        expectSentence(result, "could have been changed by another user", "chmod o-w")
        #expect(try WireClient.greeted(daemon).send(ListApps()).rows.isEmpty)
    }

    @Test(arguments: ["dict", "array"]) func `nor is one whose Info.plist is nested without end`(
        element: String
    ) throws {
        let app = try ended()
        try app.act(.remove)
        let plist =
            "<plist version=\"1.0\">" + String(repeating: "<\(element)><key>k</key>", count: 30_000)
            + String(repeating: "</\(element)>", count: 30_000) + "</plist>"
        try TestFiles.write(plist, to: daemon.path("app.app/Info.plist"))
        let before = try daemon.daemon().processID
        let result = try daemon.run("app", "install", daemon.path("app.app"))
        expectSentence(result, "cannot be read as a property list")
        // Running it by hand is harmless, too.
        try app.open()
        #expect(try daemon.daemon().processID == before)
    }

    @Test func `settings that everybody may write are refused`() throws {
        try daemon.settings("{}")
        chmod(daemon.home + "/settings.json", 0o666)
        expectSentence(try daemon.run("list"), "settings.json", "may be written by everybody")
        chmod(daemon.home + "/settings.json", 0o600)
        #expect(try daemon.run("list").isSuccess)
    }

    @Test func `completion commands have what they are told, and nothing of the shell that started the daemon`() throws
    {
        try TestFiles.write("x", to: daemon.path("file"))
        let server = try FaultServer()
        server.script("/in", .status(201))
        let result = try daemon.run(
            ["upload", "file", server.url("/in"), "--on-done", "/usr/bin/env > told.tmp; mv told.tmp told"],
            environment: ["AWS_SECRET_ACCESS_KEY": "s3cret", "LD_BIND_NOW": "1", "TZ": "UTC"]
        )
        #expect(result.isSuccess, "\(result)")
        let told = try eventually("the command has run") { try? TestFiles.text(daemon.path("told")) }
        let names = Set(told.split(separator: "\n").compactMap { $0.split(separator: "=").first.map(String.init) })
        #expect(names.isSuperset(of: ["OFFSTAGE_ID", "OFFSTAGE_RESULT", "PATH", "HOME", "TZ"]))
        #expect(names.isDisjoint(with: ["AWS_SECRET_ACCESS_KEY", "LD_BIND_NOW", "OFFSTAGE_READY_FD", "OFFSTAGED"]))
    }
}

extension DaemonFixture {
    /// Runs a shell command as `nobody`.
    fileprivate static func asOther(_ command: String) throws -> CommandResult {
        try ChildProcess.run(setpriv[0], setpriv.dropFirst() + ["/bin/sh", "-c", command])
    }
}
