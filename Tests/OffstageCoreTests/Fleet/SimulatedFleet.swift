// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// Several members, a database and a server in virtual time, with failures: processes are killed or stopped, and
/// requests and answers are late or lost.
final class SimulatedFleet {
    struct Chance: RandomNumberGenerator {
        private var state: UInt64
        init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state &* 0x2545_F491_4F6C_DD1D
        }
    }

    private struct Step {
        var time: Double
        var number: Int
        var work: (SimulatedFleet) -> Void
    }

    private(set) var now = 0.0
    private var steps: [Step] = []
    private var count = 0
    var chance: Chance
    var database: SimulatedFleetDatabase
    var uploads = SimulatedUploads()
    private(set) var members: [SimulatedFleetMember] = []
    /// The end of the time in which everything goes wrong. After it, all is calm, so that the work can end.
    let trouble: Double

    init(seed: UInt64, members: Int, repeatable: Int, once: Int, trouble: Double) {
        chance = Chance(seed: seed)
        database = SimulatedFleetDatabase(leaseLength: 10, repeatable: repeatable, once: once)
        self.trouble = trouble
        self.members = (0..<members).map { SimulatedFleetMember(name: $0) }
    }

    var isTroubled: Bool { now < trouble }

    func happens(_ probability: Double) -> Bool { isTroubled && Double.random(in: 0..<1, using: &chance) < probability }

    func later(_ seconds: ClosedRange<Double>, _ work: @escaping (SimulatedFleet) -> Void) {
        count += 1
        let step = Step(time: now + Double.random(in: seconds, using: &chance), number: count, work: work)
        let place = steps.firstIndex { ($0.time, $0.number) < (step.time, step.number) } ?? steps.endIndex
        steps.insert(step, at: place)
    }

    /// Runs until all rows have ended; returns false if that takes longer than so many seconds.
    func run(upTo limit: Double) -> Bool {
        for member in members { later(0...2) { member.start($0) } }
        while let step = steps.popLast(), step.time <= limit {
            now = step.time
            step.work(self)
            if database.isDone, !isTroubled { return true }
        }
        return database.isDone
    }
}
