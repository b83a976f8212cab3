// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

/// A disk that does not respond, next to one that does.
@Suite(.enabled(if: Privileges.canMount, "needs root, to mount a disk of its own"))
struct `A disk that does not answer` {
    private let daemon: DaemonFixture
    private let server: FaultServer
    private let disk: FrozenDisk
    private let file = FaultFile(random: 3_000_000, seed: 9)

    init() throws {
        daemon = try DaemonFixture()
        server = try FaultServer()
        disk = try FrozenDisk(daemon.path("disk"))
    }

    @Test func `holds up its own downloads, which say so, and no others`() throws {
        let gate = FaultGate()
        // As many transfers as one owner may run with one server.
        var stuck: [Int] = []
        for number in 0..<6 {
            server.script("/stuck\(number)", .held(gate, then: .file(file)))
            stuck.append(try daemon.submit("download", server.url("/stuck\(number)"), "-o", disk.path + "/\(number)"))
        }
        for number in 0..<6 { try server.waitForRequests("/stuck\(number)", count: 1) }
        try disk.freeze()
        gate.open()
        server.script("/elsewhere", .file(file))
        let other = try daemon.submit("download", server.url("/elsewhere"), "-o", daemon.path("elsewhere"))
        let result = try daemon.wait(other, within: 60)
        #expect(result.isSuccess, "\(result)")
        let why = try daemon.run("why", "\(stuck[0])")
        #expect(why.output.contains("\(disk.path) does not answer"), "\(why)")
        #expect(try daemon.run("list").isSuccess)
        disk.thaw()
        for (number, id) in stuck.enumerated() {
            let result = try daemon.wait(id, within: 60)
            #expect(result.isSuccess, "\(result)")
            #expect(try TestFiles.read(disk.path + "/\(number)") == file.bytes)
        }
    }
}
