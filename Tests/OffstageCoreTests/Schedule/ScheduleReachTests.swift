// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// Lines whose transfers may not begin, whatever the limits allow.
@Suite struct ScheduleReachTests {
    private func id(_ number: Int64) -> TransferID { TransferID(rawValue: number) }

    @Test(arguments: [10, 3000] as [Int64])
    func `a line that may not begin is asked for once, however many slots are given meanwhile`(lines: Int64) {
        var schedule = TransferSchedule(limits: .init(perHost: 6, total: 64))
        for number in 1...lines {
            let (owner, host) = number % 2 == 0 ? ("a", "h\(number):80") : ("b-\(number)", "h:80")
            schedule.enqueue(id(number), owner: owner, hostKey: host, priority: 0.5, others: ["i:80"])
        }
        var looks = (reach: 0, detour: 0)
        func next() -> TransferID? {
            schedule.next(
                canReach: { host, _ in
                    looks.reach += 1
                    return host == "here:80"
                },
                hasDetour: { _, _ in
                    looks.detour += 1
                    return false
                }
            )
        }
        #expect(next() == nil)
        #expect(looks == (Int(lines), Int(lines)))
        for number in lines + 1...lines + 50 {
            schedule.enqueue(id(number), owner: "a", hostKey: "here:80", priority: 0.1)
            // Another transfer of a line that has already been checked.
            schedule.enqueue(id(number + 1000), owner: "a", hostKey: "h2:80", priority: 0.9, others: ["i:80"])
            #expect(next() == id(number))
            #expect(next() == nil)
            schedule.remove(id(number))
            schedule.remove(id(number + 1000))
        }
        #expect(looks == (Int(lines) + 50, Int(lines)))
        schedule.reachMayHaveChanged()
        #expect(next() == nil)
        #expect(looks == (2 * Int(lines) + 50, 2 * Int(lines)))
        #expect(schedule.queuedCount == Int(lines))
    }

    @Test func `hosts that are not used any more take no room beside a long transfer`() {
        var schedule = TransferSchedule(limits: .init(perHost: 6, total: 64))
        schedule.enqueue(id(1), owner: "a", hostKey: "h1:80", priority: 0.5)
        #expect(schedule.next(canReach: { _, _ in true }) == id(1))
        let last = Int64(TransferSchedule.countedLines) * 2
        for number in 2...last {
            schedule.enqueue(id(number), owner: "a", hostKey: "h\(number):80", priority: 0.5)
            // Every second host is in reach.
            let next = schedule.next { _, _ in number % 2 == 0 }
            #expect(next == (number % 2 == 0 ? id(number) : nil))
            schedule.remove(id(number))
        }
        schedule.enqueue(id(last + 1), owner: "a", hostKey: "other:80", priority: 0.5)
        // Only so many lines are checked.
        #expect(schedule.counts { _, _, _ in .network }[.network] == 1)
        // No transfer is passed over because of a result for a host that has been forgotten.
        #expect(schedule.next(canReach: { _, _ in true }) == id(last + 1))
    }

    @Test func `whatever comes, goes and cannot be reached, the order is that of a look at everybody`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededNumbers(state: seed)
        var model = LookAtEverybody(perHost: 2, total: 9)
        var schedule = TransferSchedule(limits: .init(perHost: 2, total: 9))
        var reachable: Set<String> = ["h0:80", "h1:80"]
        // Each owner has one transfer that always runs, so none is forgotten, and no two were served equally long ago.
        for owner in 0..<3 as Range<Int64> {
            schedule.enqueue(id(owner), owner: "o\(owner)", hostKey: "own:80", priority: 1)
            #expect(schedule.next(canReach: { _, _ in true }) == id(owner))
            model.enqueue(owner, owner: "o\(owner)", host: "own:80", priority: 1)
            #expect(model.next(reachable: ["own:80"]) == owner)
        }
        for number in 3...3000 as ClosedRange<Int64> {
            let (owner, host) = ("o\(random.next() % 3)", "h\(random.next() % 5):80")
            let priority = Float(random.next() % 5) / 4
            schedule.enqueue(id(number), owner: owner, hostKey: host, priority: Double(priority))
            model.enqueue(number, owner: owner, host: host, priority: priority)
            for isRunning in [false, true] where random.next() % 2 == 0 {
                let those = (isRunning ? model.running : model.waiting).keys.filter { $0 > 2 }.sorted()
                guard !those.isEmpty else { continue }
                let gone = those[Int(random.next() % UInt64(those.count))]
                schedule.remove(id(gone))
                model.remove(gone)
            }
            if random.next() % 8 == 0 {
                reachable = Set((0..<5).filter { _ in random.next() % 2 == 0 }.map { "h\($0):80" })
                schedule.reachMayHaveChanged()
            }
            while true {
                let next = schedule.next { host, _ in reachable.contains(host) }
                let expected = model.next(reachable: reachable)
                #expect(next?.rawValue == expected, "seed \(seed), number \(number)")
                guard next != nil, next?.rawValue == expected else { break }
            }
        }
        #expect(schedule.queuedCount == model.waiting.count, "seed \(seed)")
    }
}

/// The rules of the schedule, without anything that avoids checks.
private struct LookAtEverybody {
    struct Place {
        var owner: String
        var host: String
        var priority: Float
    }

    let perHost: Int
    let total: Int
    private(set) var waiting: [Int64: Place] = [:]
    private(set) var running: [Int64: Place] = [:]
    private var servedAt: [String: Int] = [:]
    private var turn = 0

    init(perHost: Int, total: Int) {
        self.perHost = perHost
        self.total = total
    }

    mutating func enqueue(_ number: Int64, owner: String, host: String, priority: Float) {
        waiting[number] = Place(owner: owner, host: host, priority: priority)
    }

    mutating func remove(_ number: Int64) {
        waiting[number] = nil
        running[number] = nil
    }

    mutating func next(reachable: Set<String>) -> Int64? {
        let possible = waiting.filter { _, place in
            let own = running.values.filter { $0.owner == place.owner }
            return reachable.contains(place.host) && (running.count < total || own.isEmpty)
                && own.count { $0.host == place.host } < perHost
        }
        func rank(_ owner: String) -> (Int, Int) {
            (running.values.count { $0.owner == owner }, servedAt[owner, default: 0])
        }
        let owners = Set(possible.values.map(\.owner))
        guard let owner = owners.min(by: { rank($0) < rank($1) }) else { return nil }
        let first = possible.filter { $0.value.owner == owner }
            .min { (-$0.value.priority, $0.key) < (-$1.value.priority, $1.key) }
        guard let first else { return nil }
        turn += 1
        servedAt[owner] = turn
        waiting[first.key] = nil
        running[first.key] = first.value
        return first.key
    }
}

/// A small seeded generator, so that a failure can be reproduced.
private struct SeededNumbers {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
