// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageClient
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import PeerTestSupport
import Testing

@Suite struct DaemonConnectionTests {
    private let directory: TemporaryDirectory
    private let paths: OffstagePaths

    init() throws {
        directory = try TemporaryDirectory()
        paths = try OffstagePaths(environment: ["OFFSTAGE_HOME": directory.path("h")])
    }

    private func connector() -> DaemonConnector {
        var connector = DaemonConnector(paths: paths, environment: [:], client: "test", startsDaemon: false)
        connector.patience = 120
        return connector
    }

    private func peer(_ script: @escaping ScriptedPeer.Script) throws -> ScriptedPeer {
        try ScriptedPeer(home: directory.path("h")) { connection, name, payload in
            name == Hello.name ? try ScriptedPeer.hello() : try script(connection, name, payload)
        }
    }

    /// Waits for the next event.
    private func event(from connection: DaemonConnection) throws -> TransferEvent {
        while true {
            if let event = connection.takeEvent() { return event }
            try connection.receive()
        }
    }

    @Test func `events that come before a reply are kept in order`() throws {
        let row = try Samples.row()
        let peer = try peer { _, _, _ in
            [.event(.removed(row.id)), .event(.changed(row)), try ScriptedPeer.reply(Empty()), .event(.finished(row))]
        }
        let connection = try connector().connect()
        _ = try connection.send(StopDaemon())
        #expect(try event(from: connection) == .removed(row.id))
        #expect(try event(from: connection) == .changed(row))
        #expect(try event(from: connection) == .finished(row))
        #expect(connection.takeEvent() == nil)
        #expect(peer.requests == ["hello", "stop"])
    }

    @Test func `an event of an unknown name is passed over`() throws {
        let peer = try peer { _, _, _ in
            let unknown = WireFrame(kind: .event, exchange: 0, name: "weather", payload: Array("{}".utf8))
            return [.raw(unknown.encoded()), try ScriptedPeer.reply(Empty())]
        }
        let connection = try connector().connect()
        _ = try connection.send(StopDaemon())
        #expect(connection.takeEvent() == nil)
        withExtendedLifetime(peer) {}
    }

    @Test func `a refusal keeps the daemon's sentence and its kind`() throws {
        let peer = try peer { _, _, _ in [.refuse(WireFailure(.notFound, "There is no transfer 9."))] }
        let connection = try connector().connect()
        let error = #expect(throws: OffstageError.self) { _ = try connection.send(StopDaemon()) }
        #expect(error?.code == .transferNotFound)
        #expect(error?.errorDescription == "There is no transfer 9.")
        withExtendedLifetime(peer) {}
    }

    @Test func `a daemon that closes, sends garbage or says nothing is an error of its own`() throws {
        let steps: [(ScriptedPeer.Step?, OffstageError.Code)] = [
            (.close, .connectionLost), (.raw([0xFF, 0xFF, 0xFF, 0xFF, 1]), .connectionLost),
            (.reply(Array("not JSON".utf8)), .connectionLost), (nil, .timedOut),
        ]
        for (step, code) in steps {
            let peer = try peer { _, _, _ in step.map { [$0] } ?? [] }
            let connection = try connector().connect()
            let patience = step == nil ? 0.2 : nil
            let error = #expect(throws: OffstageError.self) { _ = try connection.send(GetStatus(), within: patience) }
            #expect(error?.code == code)
            withExtendedLifetime(peer) {}
        }
    }

    @Test func `without a daemon the sentence names the socket`() throws {
        let error = #expect(throws: OffstageError.self) { _ = try connector().connect() }
        #expect(error?.code == .daemonUnreachable)
        #expect(error?.subject == directory.path("h/run/daemon.sock"))
    }

    @Test func `a daemon that dies before it has answered counts as none`() throws {
        let peer = try ScriptedPeer(home: directory.path("h")) { _, _, _ in [.close] }
        let error = #expect(throws: OffstageError.self) { _ = try connector().connect() }
        #expect(error?.code == .daemonUnreachable)
        #expect(peer.requests == ["hello"])
    }

    @Test func `a newer daemon asks for an update of the command`() throws {
        let peer = try ScriptedPeer(home: directory.path("h")) { _, _, _ in
            [.refuse(WireFailure(.incompatible, "This daemon is Offstage 9.0.0."))]
        }
        let error = #expect(throws: OffstageError.self) { _ = try connector().connect() }
        #expect(error?.code == .incompatible)
        #expect(
            error?.description
                == "This daemon is Offstage 9.0.0. This is offstage \(OffstageVersion.current): update it to the daemon's version."
        )
        withExtendedLifetime(peer) {}
    }

    @Test func `an older daemon that speaks the same protocol is used when none may be started`() throws {
        let peer = try ScriptedPeer(home: directory.path("h")) { _, _, _ in
            try ScriptedPeer.hello(version: OffstageVersion(major: 0, minor: 0, patch: 1))
        }
        #expect(try connector().connect().daemon.version < .current)
        withExtendedLifetime(peer) {}
    }

    @Test func `an older daemon is asked to hand over, and another takes its place`() throws {
        let peer = try ScriptedPeer(home: directory.path("h")) { connection, name, _ in
            if name == HandOver.name { return [try ScriptedPeer.reply(Empty()), .close] }
            return try ScriptedPeer.hello(
                version: connection == 1 ? OffstageVersion(major: 0, minor: 0, patch: 1) : .current
            )
        }
        let connector = try starter(of: .current)
        #expect(try connector.connect().daemon.version == .current)
        #expect(peer.requests == ["hello", "handover", "hello"])
    }

    /// A connector that would start a program of this version.
    private func starter(of version: OffstageVersion) throws -> DaemonConnector {
        let program = directory.path("offstaged")
        try TestFiles.write("#!/bin/sh\necho offstaged \(version)\n", to: program)
        chmod(program, 0o755)
        return DaemonConnector(paths: paths, environment: ["OFFSTAGED": program], client: "test", startsDaemon: true)
    }

    @Test func `a daemon is not ended for one that is no newer`() throws {
        let older = OffstageVersion(major: 0, minor: 0, patch: 1)
        let peer = try ScriptedPeer(home: directory.path("h")) { _, _, _ in try ScriptedPeer.hello(version: older) }
        for version in [older, OffstageVersion(major: 0, minor: 0, patch: 0)] {
            #expect(try starter(of: version).connect().daemon.version == older)
        }
        let without = DaemonConnector(
            paths: paths,
            environment: ["OFFSTAGED": directory.path("nowhere")],
            client: "test",
            startsDaemon: true
        )
        #expect(try without.connect().daemon.version == older)
        #expect(peer.requests == ["hello", "hello", "hello"])
    }

    /// As when systemd starts a program other than the one that reports its version.
    @Test func `a daemon that was replaced in vain is not replaced again`() throws {
        let older = OffstageVersion(major: 0, minor: 0, patch: 1)
        let peer = try ScriptedPeer(home: directory.path("h")) { _, name, _ in
            if name == HandOver.name { return [try ScriptedPeer.reply(Empty()), .close] }
            return try ScriptedPeer.hello(version: older)
        }
        for _ in 1...3 { #expect(try starter(of: .current).connect().daemon.version == older) }
        #expect(peer.requests == ["hello", "handover", "hello", "hello", "hello"])
    }

    @Test(arguments: ["1.2", "1.2.x", "", "1.2.3.4", "-", "99999999999999999999.0.0"])
    func `what is no version is none`(text: String) {
        #expect(OffstageVersion(parsing: text) == nil)
        #expect(OffstageVersion(parsing: "1.20.3") == OffstageVersion(major: 1, minor: 20, patch: 3))
    }
}
