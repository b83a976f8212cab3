// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

/// The folders that belong to one app.
@Suite(.serialized) struct ContainerTests {
    private func folders(_ app: LivingApp) throws -> [String] {
        let before = app.lines.count
        try app.order("folders")
        try app.line("kept", after: before)
        return app.lines.dropFirst(before).map(\.text).compactMap {
            $0.hasPrefix("folder ") ? String($0.dropFirst("folder ".count)) : nil
        }
    }

    @Test func `an app has its documents, caches and temporary files in a folder of its own, however it is launched`()
        throws
    {
        let app = try LivingApp(try DaemonFixture())
        let process = try app.open()
        let found = try folders(app)
        let container = try #require(try app.show().container)
        #expect(container.hasPrefix(app.daemon.home + "/containers/"))
        #expect(
            found
                == [
                    container + "/Documents/note.txt", container + "/Library/Caches",
                    container + "/Library/Application Support", container + "/tmp/", container,
                    app.daemon.home + "/groups/group.life",
                ].map { found.contains($0) ? $0 : $0.trimmed }
        )
        #expect(try TestFiles.text(container + "/Documents/note.txt") == "kept")
        process.kill(SIGTERM)
        _ = try process.exitStatus()
        try app.act(.launch(inBackground: false))
        #expect(try folders(app) == found)
        #expect(try app.daemon.run("app", "info", app.id).output.contains(container))
        try app.act(.terminate)
    }

    @Test func `a place that cannot be made is told, and the app runs`() throws {
        let daemon = try DaemonFixture()
        try TestFiles.write("in the way", to: daemon.home + "/containers")
        let app = try LivingApp(daemon)
        let process = try app.open()
        try eventually("it says so") { process.errors.contains("The app has no folders of its own") ? true : nil }
        #expect(process.isRunning)
    }
}

extension String {
    /// Some functions return a folder's path with a trailing slash.
    fileprivate var trimmed: String { hasSuffix("/") ? String(dropLast()) : self + "/" }
}
