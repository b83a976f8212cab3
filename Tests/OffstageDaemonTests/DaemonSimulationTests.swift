// SPDX-License-Identifier: Apache-2.0
import DaemonSimulation
import OffstageTestSupport
import Testing

/// A slice of `scripts/virtual-crashes`.
@Suite struct `A daemon that is cut off again and again` {
    @Test(arguments: [1, 2, 3])
    func `keeps what it has promised`(seed: UInt64) throws {
        let folder = try TemporaryDirectory(isInMemory: true)
        let report = try DaemonSimulation(in: folder.path, seed: seed, crashes: 60).run()
        #expect(report.problems == [])
        #expect(report.crashes == 60)
        // Something of each kind has come about.
        for kind in ["completed", "committed at Dropbox", "ends told to apps", "deferred work begun"] {
            #expect(report.counts[kind, default: 0] > 0, "\(kind): \(report.counts)")
        }
    }
}
