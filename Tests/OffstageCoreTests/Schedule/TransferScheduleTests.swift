// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct TransferScheduleTests {
    private func id(_ number: Int64) -> TransferID { TransferID(rawValue: number) }

    private func schedule(perHost: Int = 6, total: Int = 64) -> TransferSchedule {
        TransferSchedule(limits: .init(perHost: perHost, total: total))
    }

    /// Assigns all free slots; the reachable hosts may have changed.
    private func drain(_ schedule: inout TransferSchedule, canReach: (String, TransferNeeds) -> Bool = { _, _ in true })
        -> [Int64]
    {
        var started: [Int64] = []
        schedule.reachMayHaveChanged()
        while let next = schedule.next(canReach: canReach) { started.append(next.rawValue) }
        return started
    }

    @Test func `lines are counted for each owner and host, whatever their transfers need`() {
        var schedule = schedule(perHost: 1)
        for number in 1...4 as ClosedRange<Int64> {
            let needs: TransferNeeds = number % 2 == 0 ? .noExpensive : []
            schedule.enqueue(id(number), owner: "a", hostKey: "h:80", priority: 0.5, needs: needs)
        }
        schedule.enqueue(id(5), owner: "b", session: "s", hostKey: "g:443", priority: 0.5, perHost: 3)
        #expect(drain(&schedule).count == 2)
        let lines = schedule.lines(most: 10)
        #expect(
            lines.lines == [
                QueueLine(owner: "a", session: nil, host: "h:80", limit: 1, inLine: 3, running: 1),
                QueueLine(owner: "b", session: "s", host: "g:443", limit: 3, running: 1),
            ]
        )
        #expect(lines.more == 0)
        #expect(schedule.lines(most: 1).lines == Array(lines.lines.prefix(1)))
        #expect(schedule.lines(most: 1).more == 1)
        for number in 1...5 as ClosedRange<Int64> { schedule.remove(id(number)) }
        #expect(schedule.lines(most: 10).lines.isEmpty)
    }

    @Test func `each session of an app has the limit to itself`() {
        var schedule = schedule(perHost: 2)
        for number in 1...4 as ClosedRange<Int64> {
            let session = number % 2 == 0 ? "even" : "odd"
            schedule.enqueue(id(number), owner: "a", session: session, hostKey: "h:80", priority: 0.5, perHost: 1)
        }
        schedule.enqueue(id(5), owner: "a", hostKey: "h:80", priority: 0.5)
        #expect(drain(&schedule).sorted() == [1, 2, 5])
        #expect(schedule.causes(of: [id(3)])[id(3)] == Reason.Cause.hostLimit(host: "h:80", running: 1, limit: 1))
        schedule.remove(id(1))
        #expect(drain(&schedule) == [3])
    }

    @Test func `what is particular about the machine waits in a line of its own, and counts for the same limit`() {
        var schedule = schedule(perHost: 2)
        #expect(schedule.needs == [])
        schedule.enqueue(id(1), owner: "a", hostKey: "h:80", priority: 0.5, needs: .noExpensive)
        schedule.enqueue(id(2), owner: "a", hostKey: "h:80", priority: 0.5, needs: [.noExpensive, .goodMoment])
        for number in 3...5 as ClosedRange<Int64> {
            schedule.enqueue(id(number), owner: "a", hostKey: "h:80", priority: 0.5)
        }
        #expect(schedule.needs == [.noExpensive, .goodMoment])
        #expect(drain(&schedule) { _, needs in needs.isEmpty } == [3, 4])
        schedule.remove(id(3))
        #expect(drain(&schedule) { _, needs in !needs.contains(.goodMoment) } == [1])
        #expect(schedule.needs(ofRunning: id(1)) == .noExpensive)
        #expect(drain(&schedule) == [])
        #expect(schedule.causes(of: [id(2)])[id(2)] == Reason.Cause.hostLimit(host: "h:80", running: 2, limit: 2))
        schedule.remove(id(1))
        schedule.remove(id(4))
        #expect(drain(&schedule).sorted() == [2, 5])
        schedule.remove(id(2))
        #expect(schedule.needs == [])
    }

    @Test func `what has a detour around its host has a slot, and counts for the same limit`() {
        var schedule = schedule(perHost: 2)
        schedule.enqueue(id(1), owner: "a", hostKey: "h:80", priority: 0.5)
        schedule.enqueue(id(2), owner: "a", hostKey: "h:80", priority: 0.5, others: ["i:80"])
        for number in 3...5 as ClosedRange<Int64> {
            schedule.enqueue(id(number), owner: "a", hostKey: "h:80", priority: 0.5, others: ["j:80", "k:80"])
        }
        let around = schedule.next(
            canReach: { _, _ in false },
            hasDetour: { host, others in host == "h:80" && others.contains("j:80") }
        )
        #expect(around == id(3))
        #expect(schedule.next(canReach: { _, _ in false }) == nil)
        #expect(drain(&schedule) == [1])
        for number in [1, 3] as [Int64] { schedule.remove(id(number)) }
        #expect(drain(&schedule) == [2, 4])
    }

    @Test func `a download over several connections counts as so many transfers with its host`() {
        var schedule = schedule(perHost: 3)
        for number in 1...5 as ClosedRange<Int64> {
            schedule.enqueue(id(number), owner: "a", hostKey: "h:80", priority: 0.5)
        }
        schedule.enqueue(id(9), owner: "a", hostKey: "other:80", priority: 0.5)
        #expect(schedule.next { _, _ in true } == id(1))
        // More than the limit, at a person's request.
        schedule.occupy(id(1), connections: 8)
        #expect(drain(&schedule) == [9], "the other host has its own limit")
        #expect(schedule.causes(of: [id(2)])[id(2)] == Reason.Cause.hostLimit(host: "h:80", running: 8, limit: 3))
        schedule.occupy(id(1), connections: 2)
        schedule.occupy(id(7), connections: 5)
        #expect(drain(&schedule) == [2])
        schedule.occupy(id(1), connections: 4)
        schedule.remove(id(1))
        #expect(drain(&schedule) == [3, 4])
        schedule.occupy(id(2), connections: 0)
        for number in 2...4 as ClosedRange<Int64> { schedule.remove(id(number)) }
        #expect(drain(&schedule) == [5])
    }

    @Test func `connections to other hosts count there as well`() {
        var schedule = schedule(perHost: 3)
        schedule.enqueue(id(1), owner: "a", hostKey: "h:80", priority: 0.5)
        #expect(drain(&schedule) == [1])
        #expect(schedule.freeConnections(for: id(1), at: "i:80") == 3)
        #expect(schedule.freeConnections(for: id(9), at: "i:80") == 0, "it holds no slot")
        schedule.occupy(id(1), connections: 1, beside: ["i:80": 2])
        #expect(schedule.freeConnections(for: id(1), at: "i:80") == 1)
        #expect(schedule.freeConnections(for: id(1)) == 2)
        for number in 2...4 as ClosedRange<Int64> {
            schedule.enqueue(id(number), owner: "a", hostKey: "i:80", priority: 0.5)
        }
        #expect(drain(&schedule) == [2])
        #expect(schedule.causes(of: [id(3)])[id(3)] == Reason.Cause.hostLimit(host: "i:80", running: 3, limit: 3))
        schedule.occupy(id(1), connections: 2, beside: ["i:80": 1])
        #expect(drain(&schedule) == [3])
        schedule.remove(id(1))
        #expect(drain(&schedule) == [4])
        for number in 2...4 as ClosedRange<Int64> { schedule.remove(id(number)) }
        schedule.enqueue(id(5), owner: "a", hostKey: "h:80", priority: 0.5)
        #expect(drain(&schedule) == [5])
        #expect(schedule.freeConnections(for: id(5), at: "i:80") == 3)
    }

    @Test func `a new session for every task costs nothing in the end`() {
        var schedule = schedule()
        for number in 1...20_000 as ClosedRange<Int64> {
            schedule.enqueue(id(number), owner: "a", session: "\(number)", hostKey: "h:80", priority: 0.5)
            let started = drain(&schedule)
            #expect(started == [number])
            schedule.remove(id(number))
        }
        #expect(!schedule.isRunning(id(20_000)))
    }

    @Test func `a transfer in line that gets another priority has one place, the new one`() {
        var schedule = schedule(perHost: 1)
        for number in 1...3 as ClosedRange<Int64> {
            schedule.enqueue(id(number), owner: "a", hostKey: "h:80", priority: 0.5)
        }
        for (number, priority) in [(1, 0.1), (3, 0.9)] as [(Int64, Double)] {
            schedule.remove(id(number))
            schedule.enqueue(id(number), owner: "a", hostKey: "h:80", priority: priority)
        }
        #expect(schedule.causes(of: [id(1)])[id(1)] == Reason.Cause.inLine(ahead: 2))
        var order: [Int64] = []
        while let next = schedule.next(canReach: { _, _ in true }) {
            order.append(next.rawValue)
            schedule.remove(next)
        }
        #expect(order == [3, 2, 1])
        #expect(schedule.queuedCount == 0)
    }

    @Test func `the oldest of equal priority goes first`() {
        var schedule = schedule()
        for number in [3, 1, 2] as [Int64] {
            schedule.enqueue(id(number), owner: "a", hostKey: "h:80", priority: 0.5)
        }
        #expect(drain(&schedule) == [1, 2, 3])
    }

    @Test func `a higher priority goes before a lower one`() {
        var schedule = schedule(perHost: 1)
        schedule.enqueue(id(1), owner: "a", hostKey: "h:80", priority: 0.25)
        schedule.enqueue(id(2), owner: "a", hostKey: "h:80", priority: 0.75)
        #expect(drain(&schedule) == [2])
        schedule.remove(id(2))
        #expect(drain(&schedule) == [1])
    }

    @Test func `priority counts between the hosts of one owner`() {
        var schedule = schedule(total: 1)
        schedule.enqueue(id(1), owner: "a", hostKey: "h:80", priority: 0.5)
        schedule.enqueue(id(2), owner: "a", hostKey: "i:80", priority: 1)
        #expect(drain(&schedule) == [2])
    }

    @Test func `no more than the limit run with one host`() {
        var schedule = schedule(perHost: 2)
        for number in 1...5 as ClosedRange<Int64> {
            schedule.enqueue(id(number), owner: "a", hostKey: "h:80", priority: 0.5)
        }
        schedule.enqueue(id(9), owner: "a", hostKey: "other:80", priority: 0.5)
        #expect(drain(&schedule) == [1, 2, 9])
        schedule.remove(id(1))
        #expect(drain(&schedule) == [3])
    }

    @Test func `an owner that runs nothing starts although all slots are taken`() {
        var schedule = schedule(perHost: 100, total: 3)
        for number in 1...10_000 as ClosedRange<Int64> {
            schedule.enqueue(id(number), owner: "greedy", hostKey: "h:80", priority: 1)
        }
        #expect(drain(&schedule) == [1, 2, 3])
        schedule.enqueue(id(20_000), owner: "modest", hostKey: "h:80", priority: 0)
        schedule.enqueue(id(20_001), owner: "modest", hostKey: "h:80", priority: 0)
        #expect(drain(&schedule) == [20_000])
    }

    @Test func `owners take turns`() {
        var schedule = schedule(perHost: 100, total: 4)
        for number in 1...4 as ClosedRange<Int64> {
            schedule.enqueue(id(number), owner: "a", hostKey: "h:80", priority: 0.5)
            schedule.enqueue(id(number + 10), owner: "b", hostKey: "h:80", priority: 0.5)
        }
        #expect(drain(&schedule) == [1, 11, 2, 12])
    }

    @Test func `a host out of reach holds up nobody else`() {
        var schedule = schedule()
        schedule.enqueue(id(1), owner: "a", hostKey: "gone:80", priority: 1)
        schedule.enqueue(id(2), owner: "a", hostKey: "here:80", priority: 0)
        #expect(drain(&schedule) { host, _ in host == "here:80" } == [2])
        #expect(drain(&schedule) == [1])
    }

    @Test func `what was taken out of line does not start, and may come back`() {
        var schedule = schedule(perHost: 1)
        for number in 1...3 as ClosedRange<Int64> {
            schedule.enqueue(id(number), owner: "a", hostKey: "h:80", priority: 0.5)
        }
        schedule.remove(id(1))
        #expect(drain(&schedule) == [2])
        schedule.enqueue(id(1), owner: "a", hostKey: "h:80", priority: 0.5)
        schedule.enqueue(id(1), owner: "a", hostKey: "h:80", priority: 0.5)
        schedule.remove(id(2))
        #expect(drain(&schedule) == [1])
        schedule.remove(id(1))
        #expect(drain(&schedule) == [3])
        #expect((1...3).map { schedule.isRunning(id($0)) } == [false, false, true])
        #expect(schedule.queuedCount == 0)
    }

    @Test func `one that runs is not put in line again`() {
        var schedule = schedule()
        schedule.enqueue(id(1), owner: "a", hostKey: "h:80", priority: 0.5)
        #expect(drain(&schedule) == [1])
        schedule.enqueue(id(1), owner: "a", hostKey: "h:80", priority: 0.5)
        #expect(schedule.isRunning(id(1)))
        #expect(!schedule.isQueued(id(1)))
        #expect(drain(&schedule).isEmpty)
    }

    @Test func `each in line knows how many are ahead of it`() {
        var schedule = schedule(perHost: 1)
        for number in 1...5 as ClosedRange<Int64> {
            schedule.enqueue(id(number), owner: "a", hostKey: "h:80", priority: 0.5)
        }
        schedule.enqueue(id(6), owner: "a", hostKey: "h:80", priority: 0.9)
        #expect(drain(&schedule) == [6])
        schedule.remove(id(3))
        let causes = schedule.causes(of: (1...7).map(id))
        #expect(causes[id(1)] == .hostLimit(host: "h:80", running: 1, limit: 1))
        #expect(causes[id(2)] == .inLine(ahead: 1))
        #expect(causes[id(4)] == Reason.Cause.inLine(ahead: 2))
        #expect(causes[id(5)] == .inLine(ahead: 3))
        #expect(causes[id(3)] == nil)
        #expect(causes[id(6)] == nil)
    }

    @Test func `places are right whoever comes and goes, and cost nothing that grows with the line`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        var schedule = schedule(perHost: 1)
        let count: Int64 = 100_000
        for number in 1...count {
            schedule.enqueue(id(number), owner: "a", hostKey: "h:80", priority: Double(random.next() % 3) / 2)
        }
        let taken = ThreadTime.measure {
            for _ in 1...5000 {
                let some = id(Int64(random.next() % UInt64(count)) + 1)
                let ahead = schedule.causes(of: [some])[some]
                schedule.remove(some)
                #expect(schedule.causes(of: [some]).isEmpty, "seed \(seed)")
                // Later, it is added again behind others.
                if case .inLine? = ahead { schedule.enqueue(some, owner: "a", hostKey: "h:80", priority: 0.25) }
            }
        }
        #expect(taken < .seconds(60), "5000 looks took \(taken)")
        let wanted = (1...300).map { _ in id(Int64(random.next() % UInt64(count)) + 1) }.filter(schedule.isQueued)
        let causes = schedule.causes(of: wanted)
        var place = 0
        while let next = schedule.next(canReach: { _, _ in true }) {
            if case .inLine(let ahead)? = causes[next] { #expect(ahead == place, "seed \(seed)") }
            schedule.remove(next)
            place += 1
        }
        #expect(schedule.queuedCount == 0)
    }

    @Test func `the limit of all is named when it is what holds`() {
        var schedule = schedule(perHost: 5, total: 1)
        schedule.enqueue(id(1), owner: "a", hostKey: "h:80", priority: 0.5)
        schedule.enqueue(id(2), owner: "a", hostKey: "h:80", priority: 0.5)
        #expect(drain(&schedule) == [1])
        #expect(schedule.causes(of: [id(2)])[id(2)] == .totalLimit(running: 1, limit: 1))
    }

    @Test func `a random sequence never breaks a limit and loses nobody`() {
        var generator = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: .min ... .max, using: &generator)
        var random = SplitMix(state: seed)
        var schedule = schedule(perHost: 3, total: 7)
        var waiting: Set<Int64> = []
        var running: [Int64: (owner: Int, host: Int)] = [:]
        var places: [Int64: (owner: Int, host: Int)] = [:]
        for number in 1...2000 as ClosedRange<Int64> {
            let place = (owner: Int(random.next() % 4), host: Int(random.next() % 3))
            places[number] = place
            waiting.insert(number)
            schedule.enqueue(
                id(number),
                owner: "o\(place.owner)",
                hostKey: "h\(place.host):80",
                priority: Double(random.next() % 5) / 4
            )
            if random.next() % 3 == 0, let some = waiting.randomElement(using: &random) {
                schedule.remove(id(some))
                waiting.remove(some)
            }
            while let next = schedule.next(canReach: { _, _ in true }) {
                #expect(waiting.remove(next.rawValue) != nil, "seed \(seed)")
                running[next.rawValue] = places[next.rawValue]
            }
            for owner in 0..<4 {
                let mine = running.values.filter { $0.owner == owner }
                for host in 0..<3 { #expect(mine.count { $0.host == host } <= 3, "seed \(seed)") }
            }
            #expect(running.count <= 7 + 4, "seed \(seed)")
            if random.next() % 2 == 0, let done = running.keys.randomElement(using: &random) {
                schedule.remove(id(done))
                running[done] = nil
            }
        }
        while !running.isEmpty || !waiting.isEmpty {
            for done in running.keys { schedule.remove(id(done)) }
            running = [:]
            while let next = schedule.next(canReach: { _, _ in true }) {
                #expect(waiting.remove(next.rawValue) != nil, "seed \(seed)")
                running[next.rawValue] = places[next.rawValue]
            }
            guard !running.isEmpty || waiting.isEmpty else {
                Issue.record("\(waiting.count) were forgotten, seed \(seed)")
                return
            }
        }
    }
}

/// A small seeded generator, so that a failure can be reproduced.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
