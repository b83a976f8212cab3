// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct `Hosts in other scripts` {
    @Test func `are reached, in both directions`() throws {
        let daemon = try DaemonFixture()
        let server = try FaultServer()
        server.script("/x", .file(FaultFile(random: 100, seed: 1)))
        server.script("/in", .status(201))
        let place = ["--resolve", "한국.example:\(server.port):127.0.0.1"]
        let url = "http://한국.example:\(server.port)"
        let fetched = try daemon.run(["download"] + place + [url + "/x"])
        #expect(fetched.isSuccess, "\(fetched)")
        #expect(TestFiles.size(daemon.path("x")) == 100)
        #expect(try daemon.run(["upload"] + place + ["x", url + "/in"]).isSuccess)
        let requests = try server.waitForRequests("/x", count: 1) + server.waitForRequests("/in", count: 1)
        let host = "xn--3e0b707e.example:\(server.port)"
        #expect(requests.map { $0.headers["Host"] } == [host, host])
        let typo = try daemon.run("download", "https://ü..example/x")
        expectSentence(typo, code: 2, "its host 'ü..example' is not a host name")
    }
}
