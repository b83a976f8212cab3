// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// How many transfers are in line, by the reason that keeps them there.
@Suite struct ScheduleCountTests {
    private func schedule(perHost: Int = 2, total: Int = 3) -> TransferSchedule {
        TransferSchedule(limits: .init(perHost: perHost, total: total))
    }

    private func enqueue(
        _ schedule: inout TransferSchedule,
        _ ids: ClosedRange<Int64>,
        owner: String = "command",
        host: String
    ) {
        for id in ids { schedule.enqueue(TransferID(rawValue: id), owner: owner, hostKey: host, priority: 0.5) }
    }

    @Test func `a line counts with what keeps its first transfer`() {
        var schedule = schedule()
        enqueue(&schedule, 1...10, host: "a:1")
        #expect(schedule.counts { _, _, _ in nil }[.inLine] == 10)
        for _ in 0..<2 { _ = schedule.next(canReach: { _, _ in true }) }
        #expect(schedule.counts { _, _, _ in nil }[.hostLimit] == 8)
        enqueue(&schedule, 11...13, host: "b:1")
        _ = schedule.next(canReach: { _, _ in true })
        let counts = schedule.counts { _, _, _ in nil }
        #expect(counts[.hostLimit] == 8)
        #expect(counts[.totalLimit] == 2)
        // Another owner may always begin one transfer.
        enqueue(&schedule, 14...15, owner: "app", host: "b:1")
        #expect(schedule.counts { _, _, _ in nil }[.inLine] == 2)
    }

    @Test func `what holds comes before the limits`() {
        var schedule = schedule()
        enqueue(&schedule, 1...4, host: "a:1")
        enqueue(&schedule, 5...6, host: "b:1")
        schedule.enqueue(
            TransferID(rawValue: 7),
            owner: "app",
            hostKey: "c:1",
            priority: 0.5,
            needs: [.noCellular],
            others: ["d:1"]
        )
        for _ in 0..<2 { _ = schedule.next(canReach: { host, _ in host == "a:1" }) }
        let counts = schedule.counts { host, needs, others in
            host == "b:1" ? .network : needs == [.noCellular] && others == ["d:1"] ? .held : nil
        }
        #expect(counts[.network] == 2)
        #expect(counts[.held] == 1)
        #expect(counts[.hostLimit] == 2)
        #expect(counts.sum == schedule.queuedCount)
    }

    @Test func `only so many lines are looked at, and no transfer is left out`() {
        var schedule = schedule()
        let lines = Int64(TransferSchedule.countedLines)
        for id in 1...lines + 50 { enqueue(&schedule, id...id, owner: "app-\(id)", host: "a:1") }
        var looks = 0
        let counts = schedule.counts { _, _, _ in
            looks += 1
            return .network
        }
        #expect(looks == TransferSchedule.countedLines)
        #expect(counts[.network] == TransferSchedule.countedLines)
        #expect(counts[.inLine] == 50)
    }
}
