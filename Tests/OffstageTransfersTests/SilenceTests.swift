// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// The report about an attempt that has received nothing.
@Suite struct SilenceTests {
    @Test(arguments: [true, false])
    func `whom an attempt without a byte waits for is said after some seconds`(isProxied: Bool) async throws {
        let server = try FaultServer()
        let gate = FaultGate()
        let lead = Monitor(0.0)
        // A clock that stands still, however slow the machine, until the test moves it.
        let harness = try QueueHarness(surroundings: {
            let start = $0.now()
            $0.now = {
                var moment = start
                moment.uptime += lead.withLock { $0 }
                return moment
            }
        })
        let address = isProxied ? "http://far.invalid/held" : server.url("/held")
        server.script(isProxied ? address : "/held", .held(gate, then: .status(200)))
        let id = try await harness.download(address, task: 1) {
            if isProxied { $0.proxy = .init(http: server.url("")) }
        }
        _ = try eventually("the server is asked") { server.requests.isEmpty ? nil : true }
        let early = await harness.queue.snapshots([id]).first
        #expect(early?.transfer.state.kind == .running && early?.standing == nil)
        lead.withLock { $0 = 6 }
        let proxy = String(server.url("").dropFirst("http://".count))
        let late = await harness.queue.snapshots([id]).first?.standing
        let words =
            isProxied ? "far.invalid:80 through the proxy \(proxy)" : "\(proxy)"
        #expect(late == "no byte has been exchanged with \(words) yet")
        gate.open()
        _ = try harness.end(of: id)
        #expect(await harness.queue.snapshots([id]).first?.standing == nil)
    }
}
