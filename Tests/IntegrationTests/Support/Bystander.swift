// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport
import Testing

/// A transfer that runs while something else goes wrong, and must arrive nevertheless.
final class Bystander {
    private let daemon: DaemonFixture
    private let server: FaultServer
    private let gate = FaultGate()
    private let file = FaultFile(random: 200_000, seed: 99)
    private let id: Int

    /// Starts the transfer: half of its body is sent, the rest once it is told to arrive.
    init(_ daemon: DaemonFixture) throws {
        self.daemon = daemon
        server = try FaultServer()
        let (gate, file) = (gate, file)
        server.script(
            "/bystander",
            FaultAnswer { exchange in
                let (status, headers, range) = file.answer(to: exchange.request)
                try exchange.sendHead(status, headers)
                let body = file.bytes[range]
                try exchange.sendBody(body.prefix(body.count / 2))
                try exchange.wait(for: gate)
                try exchange.sendBody(body.dropFirst(body.count / 2))
            }
        )
        id = try daemon.submit("download", server.url("/bystander"), "-o", daemon.path("bystander"))
        try server.waitForRequests("/bystander", count: 1)
    }

    /// Lets the transfer continue and expects the whole file, in one attempt unless the daemon was killed in the
    /// meantime.
    func expectArrival(attempts: Int = 1, sourceLocation: SourceLocation = #_sourceLocation) throws {
        gate.open()
        let result = try daemon.wait(id)
        #expect(result.isSuccess, "\(result)", sourceLocation: sourceLocation)
        #expect(try TestFiles.read(daemon.path("bystander")) == file.bytes, sourceLocation: sourceLocation)
        #expect(server.requests("/bystander").count == attempts, sourceLocation: sourceLocation)
    }
}
