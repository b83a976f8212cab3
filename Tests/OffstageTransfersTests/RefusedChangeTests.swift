// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct RefusedChangeTests {
    /// A store that refuses a change once refuses it forever.
    @Test func `a change that the store refuses for good holds up nobody`() async throws {
        let refused = Monitor<TransferID?>(nil)
        let harness = try QueueHarness(seenThrough: {
            WatchedStore(
                store: $0,
                refusal: { change in
                    switch change {
                    case .update(let transfer), .updateWithSpec(let transfer):
                        guard transfer.id == refused.withLock({ $0 }) else { return nil }
                        return .refused(path: "store", detail: "as a test says")
                    default: return nil
                    }
                }
            )
        })
        let queue = harness.queue
        let ids = try await queue.submit([try Self.later("/tmp/one"), try Self.later("/tmp/other")])
        refused.withLock { $0 = ids.first }
        let cancelled = Monitor<[TransferID]>([])
        for id in ids {
            harness.start {
                try await queue.cancel(id)
                cancelled.withLock { $0.append(id) }
            }
        }
        let all = cancelled.wait(TimeLimit(seconds: 20)) { $0.count == 2 ? true : nil }
        #expect(all == true, "\(cancelled.withLock { $0 }) of \(ids)")
        let states = await queue.snapshots(ids).map(\.transfer.isFinished)
        #expect(states == [true, true])
    }

    /// A journal is written by an app, which may use a submission key twice.
    @Test func `a task that the store refuses for good is told so, and those beside it are taken in`() async throws {
        let harness = try QueueHarness()
        let queue = harness.queue
        _ = await queue.commit(.insertJournal(name: "j", owner: "app"))
        var batch = HandOverBatch(app: "app", journal: "j", sequence: 4)
        batch.tasks = try (1...4).map { task in
            var spec = try Self.later("/tmp/\(task)")
            spec.owner = "app"
            spec.sessionTask = SessionTaskKey(session: "s", task: task)
            if task == 2 || task == 3 { spec.submissionKey = "twice" }
            return .init(spec: spec, json: try Array(JSONEncoder().encode(spec)))
        }
        let accepted = Monitor<[SessionTaskKey]?>(nil)
        let handed = batch
        harness.start {
            let refused = await queue.accept(handed)
            accepted.withLock { $0 = refused?.compactMap(\.key) }
        }
        let refused = accepted.wait(TimeLimit(seconds: 20)) { $0 }
        #expect(refused?.map(\.task) == [3])
        let ids = try await harness.tasks(of: "s", app: "app")
        #expect(ids == [1, 2, 4])
    }

    private static func later(_ path: String) throws -> TransferSpec {
        let url = try RequestURL("http://127.0.0.1:9/")
        var spec = TransferSpec(direction: .download(.init(path: path)), url: url, owner: "command")
        spec.earliestBegin = Date(timeIntervalSinceNow: 86_400)
        return spec
    }
}
