// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Apps that are launched in a delegated subtree of cgroup v2: needs root and such a hierarchy.
@Suite(.serialized, .enabled(if: DelegatedGroup.root != nil)) struct `An app in a delegated subtree` {
    private let group: DelegatedGroup
    private let daemon: DaemonFixture

    init() throws {
        group = try DelegatedGroup()
        daemon = try DaemonFixture(environment: ["OFFSTAGE_CGROUP": group.path])
    }

    /// A background app that this daemon has launched.
    private func suspended() throws -> WiredApp {
        let app = try WiredApp(daemon, name: "cold", bundle: "com.example.cold")
        try app.open()
        #expect(try app.show().suspendsBy == "signal")
        try app.order("exit 0")
        try app.wait(for: .terminated)
        try app.act(.launch(inBackground: true), waits: true)
        try app.wait(for: .suspended)
        #expect(try app.show().suspendsBy == "freezer")
        try eventually("it is frozen") { try group.isFrozen(withProcess: app.processID()) ? true : nil }
        return app
    }

    @Test func `it is frozen behind, and thawed in front`() throws {
        let app = try suspended()
        try app.act(.foreground, waits: true)
        #expect(try app.state == .active)
        #expect(try !group.isFrozen(withProcess: app.processID()))
        try app.act(.terminate, waits: true)
        try eventually("its group is gone") { try group.appGroups.isEmpty ? true : nil }
    }

    @Test func `a daemon that begins anew thaws it`() throws {
        let app = try suspended()
        try daemon.killDaemon()
        try daemon.startOnDemand()
        try app.wait(for: .suspended)
        #expect(try app.show().suspendsBy == "freezer")
        try app.act(.foreground, waits: true)
        #expect(try app.state == .active)
    }

    @Test func `it can be killed while it is frozen`() throws {
        let app = try suspended()
        try app.act(.quit(keepsTransfers: true), waits: true)
        try app.waitUntilGone()
        #expect(try app.kills() == [.quit])
    }
}
