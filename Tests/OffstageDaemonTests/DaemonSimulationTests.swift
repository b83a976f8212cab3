// SPDX-License-Identifier: Apache-2.0
import DaemonSimulation
import OffstageTestSupport
import Testing

/// A slice of `scripts/virtual-crashes`.
@Suite struct `A daemon that is cut off again and again` {
    @Test func `keeps what it has promised`() throws {
        var counts: [String: Int] = [:]
        for seed: UInt64 in 1...3 {
            let folder = try TemporaryDirectory(isInMemory: true)
            let report = try DaemonSimulation(in: folder.path, seed: seed, crashes: 100).run()
            #expect(report.problems == [])
            #expect(report.crashes == 100)
            counts.merge(report.counts) { $0 + $1 }
        }
        // Each kind of event has happened at least once.
        for kind in ["completed", "committed at Dropbox", "ends told to apps", "deferred work begun"] {
            #expect(counts[kind, default: 0] > 0, "\(kind): \(counts)")
        }
    }
}
