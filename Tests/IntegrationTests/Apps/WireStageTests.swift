// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// The daemon's half of the life cycle, at the level of frames and signals.
@Suite(.serialized) struct `An app on stage` {
    private let daemon: DaemonFixture

    init() throws { daemon = try DaemonFixture() }

    @Test func `an app without tasks is stopped behind, and goes on in front`() throws {
        let app = try WiredApp(daemon)
        let process = try app.open()
        try app.wait(for: .active)
        try app.act(.background)
        try app.waitUntilStopped()
        #expect(try app.state == .suspended)
        try app.act(.foreground, waits: true)
        #expect(try app.state == .active)
        #expect(
            app.texts == [
                "started", "attached person", "state active", "enterBackground", "state background", "enterForeground",
                "state active",
            ]
        )
        #expect(process.isRunning)
    }
}
