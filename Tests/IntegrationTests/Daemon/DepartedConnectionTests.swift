// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Clients that are gone before the daemon has carried out their request.
@Suite struct DepartedConnectionTests {
    @Test func `a notifier that ends as it attaches is started again for the next notification`() throws {
        let server = try FaultServer()
        server.script("/in", .status(201))
        let folder = try TemporaryDirectory()
        // Replaces the notifier: it leaves a file, and never connects.
        let (program, trace) = (folder.path("notifier"), folder.path("started"))
        try TestFiles.write(Array("#!/bin/sh\n: >'\(trace)'\n".utf8), to: program, mode: 0o755)
        let daemon = try DaemonFixture(
            environment: ["OFFSTAGE_NOTIFIER": program, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"]
        )
        try TestFiles.write("content", to: daemon.path("a.txt"))
        #expect(try daemon.run("list").isSuccess)
        try attachAndLeave(daemon)
        let id = try daemon.submit("upload", "--notify", "a.txt", server.url("/in"))
        #expect(try daemon.wait(id).isSuccess)
        try eventually("the notifier is started") { TestFiles.exists(trace) ? true : nil }
    }

    /// Attaches like the notifier and disconnects, both before the daemon looks.
    private func attachAndLeave(_ daemon: DaemonFixture) throws {
        let notifier = try WireClient.greeted(daemon)
        let process = try daemon.daemon()
        try process.send(SIGSTOP)
        try notifier.write(notifier.frame(AttachDesktop()).encoded())
        notifier.hangUp()
        try process.send(SIGCONT)
    }
}
