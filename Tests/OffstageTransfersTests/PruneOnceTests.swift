// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageStore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Many simultaneous ends start one prune, not one each.
@Suite struct PruneOnceTests {
    @Test func `ends without number begin one prune at a time`() async throws {
        let prunes = Monitor(Prunes())
        let harness = try QueueHarness(seenThrough: { WatchedStore(store: $0, prunes: prunes) })
        let queue = harness.queue
        let hold = Date(timeIntervalSinceNow: 86_400)
        for lot in 1...2 {
            let ids = try await queue.submit((0..<1200).map { try Self.later("/tmp/\(lot)-\($0)", hold) })
            // All in a few commits: the end that makes a prune due shares a commit with hundreds of others.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in ids { group.addTask { try await queue.cancel(id) } }
                try await group.waitForAll()
            }
        }
        let found = prunes.wait(TimeLimit(seconds: 60)) { $0.ended >= 2 && $0.running == 0 ? $0 : nil }
        let counted = try #require(found)
        // One at the start, and one for each thousand.
        #expect(counted.ended <= 4, "\(counted.ended) prunes")
        #expect(counted.mostAtOnce == 1)
    }

    private static func later(_ path: String, _ date: Date) throws -> TransferSpec {
        let url = try RequestURL("http://127.0.0.1:9/")
        var spec = TransferSpec(direction: .download(.init(path: path)), url: url, owner: "command")
        spec.earliestBegin = date
        return spec
    }
}
