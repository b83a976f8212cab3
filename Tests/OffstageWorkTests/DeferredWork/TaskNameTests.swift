// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import OffstageWork
import Testing

@Suite struct `How people name a task` {
    private static let now = Moment(wall: Date(timeIntervalSince1970: 1_700_000_000), bootID: "boot", uptime: 100)

    private var schedule = TaskSchedule(policy: TaskPolicy(), conditions: MachineConditions(), now: now)
    private var runs = TaskRuns(nextNumber: 1, startedAt: 100)

    /// Two apps with a task of the same identifier, and one whose identifier has a slash.
    init() {
        for (app, identifier) in [("a", "sync"), ("b", "sync"), ("b", "sync/full")] {
            let request = TaskRequest(
                number: runs.makeNumber(),
                app: app,
                identifier: identifier,
                kind: .processing,
                earliestBegin: Self.now.wall + 3600,
                submitted: Self.now
            )
            _ = schedule.handle(.added(TaskRecord(request: request)), now: Self.now)
        }
    }

    private func name(_ text: String) throws -> TaskName { try TaskName(text, in: schedule, begun: runs) }
    private func numbers(_ text: String) throws -> [UInt64] { try name(text).records.map(\.request.number) }

    private static let meanings: [(String, [UInt64])] = [
        ("sync", [1, 2]), ("a/sync", [1]), ("b/sync", [2]), ("b/sync/full", [3]), ("sync/full", [3]), ("task:2", [2]),
        ("task:9", []), ("c/sync", []), ("/sync", []), ("", []), ("task:x", []),
    ]

    @Test(arguments: meanings)
    func `a name means these`(text: String, expected: [UInt64]) throws { #expect(try numbers(text) == expected) }

    @Test func `history is looked up under every reading of a name`() throws {
        let places = try name("b/sync/full").places.map { "\($0.app ?? "any") \($0.identifier)" }
        #expect(places == ["any b/sync/full", "b sync/full", "b/sync full"])
        #expect(try name("task:2").number == 2)
        #expect(try name("task:2").places.isEmpty)
    }

    @Test func `one that several have names none of them`() throws {
        let failure = #expect(throws: WireFailure.self) { try name("sync").one(thatIs: "pending") { _ in true } }
        let sentence = failure?.message ?? ""
        #expect(sentence.contains("matches 2 tasks: name one of task:1 (a/sync, pending), task:2 (b/sync, pending)"))
        let first = try name("sync").one(thatIs: "pending") { $0.request.app == "a" }
        #expect(first?.request.number == 1)
    }

    @Test func `one that is there and not as it is to be is refused, and one that is not there is nothing`() throws {
        #expect(throws: WireFailure.self) { try name("a/sync").one(thatIs: "running") { _ in false } }
        #expect(try name("c/sync").one(thatIs: "running") { _ in true } == nil)
        #expect(try name("c/sync").absent(wasThere: false).code == .notFound)
        #expect(try name("c/sync").absent(wasThere: true).code == .notApplicable)
    }

    @Test func `a name that no task can have is refused before it is looked for`() throws {
        let slashes = String(repeating: "/", count: TaskName.mostSlashes)
        #expect(try name("a" + slashes).places.count <= TaskName.mostSlashes + 1)
        for text in ["a/" + slashes, String(repeating: "n", count: TaskName.longest + 1)] {
            let failure = #expect(throws: WireFailure.self) { try name(text) }
            #expect(failure?.code == .badRequest)
        }
    }
}
