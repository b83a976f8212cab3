// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// An attempt's share of the bandwidth.
struct RateLimitTests {
    let harness: EngineHarness
    let server: FaultServer

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
        server.script("/file", .file(FaultFile(random: 3_000_000, seed: 1)))
        server.script("/in", .status(201))
    }

    private func seconds(of run: EngineRun) throws -> Double {
        let begun = TimeLimit.now
        #expect(try run.end(within: 30).reached == 3_000_000)
        return TimeLimit.now - begun
    }

    @Test(arguments: [false, true])
    func `a limited download takes its time`(large: Bool) throws {
        let run = try harness.download(server.url("/file")) {
            $0.rateLimit = 2_000_000
            $0.usesLargeBuffers = large
        }
        let seconds = try seconds(of: run)
        #expect((1.1...2.5).contains(seconds))
    }

    @Test(arguments: [false, true])
    func `a limited upload takes its time`(large: Bool) throws {
        let path = try harness.makeFile("source", bytes: 3_000_000)
        let run = try harness.upload(path, to: server.url("/in")) {
            $0.rateLimit = 2_000_000
            $0.usesLargeBuffers = large
        }
        let seconds = try seconds(of: run)
        #expect((1.1...2.5).contains(seconds))
    }

    @Test(arguments: [false, true])
    func `a limit that is lifted lets the rest through at once`(large: Bool) throws {
        let run = try harness.download(server.url("/file")) {
            $0.rateLimit = 20_000
            $0.usesLargeBuffers = large
        }
        try run.waitForProgress(beyond: 0)
        harness.engine.setRateLimit(run.request.key, bytesPerSecond: nil)
        #expect(try seconds(of: run) < 2)
    }

    @Test(arguments: [false, true])
    func `an upload's limit that is lifted lets the rest through at once`(large: Bool) throws {
        let path = try harness.makeFile("source", bytes: 3_000_000)
        let run = try harness.upload(path, to: server.url("/in")) {
            $0.rateLimit = 20_000
            $0.usesLargeBuffers = large
        }
        try run.waitForProgress(beyond: 0)
        harness.engine.setRateLimit(run.request.key, bytesPerSecond: nil)
        #expect(try seconds(of: run) < 2)
    }

    @Test func `a limit that is set on the way slows down`() throws {
        server.script("/long", .file(FaultFile(random: 3_000_000, seed: 1), rate: 1_500_000))
        let run = try harness.download(server.url("/long"))
        let first = try run.waitForProgress(beyond: 0)
        harness.engine.setRateLimit(run.request.key, bytesPerSecond: 500_000)
        let begun = TimeLimit.now
        try run.waitForProgress(beyond: first.bytesDone + 600_000)
        #expect(TimeLimit.now - begun > 0.8)
    }

    @Test func `a limited attempt is not taken for a dead one`() throws {
        let run = try harness.download(server.url("/file")) {
            $0.rateLimit = 1000
            $0.spec.idleTimeout = 0.5
        }
        try run.waitForProgress(beyond: 4000)
        run.stop()
        try run.waitForRelease()
    }
}
