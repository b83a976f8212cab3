// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageRuntime
import OffstageTransfers
import Testing

struct TransferTurnsTests {
    /// An obstacle that keeps all waiting transfers from starting.
    enum Obstacle: CaseIterable {
        case nothingToBeginWith, networkProblem, machine, timeOfDay, settling, stopping

        func rise(on stage: TurnsStage) {
            if self != .nothingToBeginWith { stage.start() }
            switch self {
            case .nothingToBeginWith: break
            case .networkProblem: stage.unreachable.withLock { $0 = ["a.example"] }
            case .machine: stage.turns.setMachine(hold: { _, _ in .expensive }, wish: { _ in })
            case .timeOfDay: TransferTurnsTests.look(stage, hour: 11)
            case .settling:
                for number in 1...TransferTurns.settlingLimit {
                    stage.turns.settle(TransferID(rawValue: Int64(100 + number)))
                }
            case .stopping: stage.registry.isStopping = true
            }
        }

        func fall(on stage: TurnsStage) {
            switch self {
            case .nothingToBeginWith: stage.start()
            case .networkProblem:
                stage.unreachable.withLock { $0 = [] }
                stage.turns.reachMayHaveChanged()
            case .machine: stage.turns.setMachine(hold: { _, _ in nil }, wish: { _ in })
            case .timeOfDay: TransferTurnsTests.look(stage, hour: 12)
            case .settling: stage.turns.settled(TransferID(rawValue: 101))
            case .stopping: stage.registry.isStopping = false
            }
        }
    }

    private static func look(_ stage: TurnsStage, hour: Int) {
        let day = CivilDay(year: 2026, month: 5, day: 1, weekday: 6)
        let zone = CivilZone(
            time: { _ in CivilTime(day: day, hour: hour, minute: 30, second: 0) },
            instant: { _ in nil }
        )
        _ = stage.turns.limits.look(at: TurnsStage.now.wall + Double(hour) * 3600, in: zone)
    }

    /// Sets a fleet's policy on metered networks.
    private static func allowMetered(_ isAllowed: Bool, on stage: TurnsStage) {
        var policy = FleetPolicy()
        policy.allowsMetered = isAllowed
        stage.turns.limits.fleets.set([policy], of: "fleet", label: "fleet")
        look(stage, hour: 13)
    }

    private static func settings(running: Int = 8) -> Settings {
        var settings = Settings()
        settings.maximumRunning = running
        settings.connectionsPerHost = 8
        settings.schedule = [ScheduleEntry(from: 11 * 60, to: 12 * 60, transfers: false)]
        return settings
    }

    @Test func `slots are given in order, and given back`() throws {
        let stage = try TurnsStage(settings: Self.settings(running: 2))
        stage.play { stage in
            stage.start()
            stage.lineUp(1...4)
            #expect(await stage.fill() == [1, 2])
            #expect(await stage.fill() == [1, 2])
            stage.turns.leave(TransferID(rawValue: 1))
            #expect(await stage.fill() == [1, 2, 3])
        }
    }

    @Test(arguments: Obstacle.allCases)
    func `what keeps all from beginning does so as long as it lasts`(obstacle: Obstacle) throws {
        let stage = try TurnsStage(settings: Self.settings())
        stage.play { stage in
            obstacle.rise(on: stage)
            stage.lineUp(1...2)
            #expect(await stage.fill() == [])
            obstacle.fall(on: stage)
            #expect(await stage.fill() == [1, 2])
        }
    }

    @Test func `whose host is out of reach lets others pass`() throws {
        let stage = try TurnsStage(settings: Self.settings())
        stage.play { stage in
            stage.start()
            stage.unreachable.withLock { $0 = ["b.example"] }
            stage.lineUp(1...1, host: "b.example")
            stage.lineUp(2...2, host: "a.example")
            #expect(await stage.fill() == [2])
        }
    }

    @Test func `whoever is out of reach is not looked at again before the network changes`() throws {
        let stage = try TurnsStage(settings: Self.settings(running: 8))
        stage.play { stage in
            stage.start()
            let hosts = (1...300).map { "h\($0).example" }
            stage.unreachable.withLock { $0 = Set(hosts) }
            for (number, host) in zip(Int64(1)..., hosts) { stage.lineUp(number...number, host: host) }
            #expect(await stage.fill() == [])
            let before = stage.looks.withLock { $0 }
            for number in 301...320 as ClosedRange<Int64> {
                stage.lineUp(number...number)
                #expect(await stage.fill().last == number)
                stage.turns.leave(TransferID(rawValue: number))
            }
            #expect(stage.looks.withLock { $0 } - before <= 20)
            stage.unreachable.withLock { $0 = [] }
            stage.turns.reachMayHaveChanged()
            #expect(await Array(stage.fill().suffix(8)) == Array(1...8))
        }
    }

    @Test func `what a fleet says of networks holds at once, and no longer than it says so`() throws {
        let stage = try TurnsStage(settings: Self.settings())
        stage.play { stage in
            stage.start()
            stage.turns.setMachine(hold: { needs, _ in needs.isEmpty ? nil : .expensive }, wish: { _ in })
            Self.allowMetered(false, on: stage)
            stage.lineUp(1...2)
            #expect(await stage.fill() == [])
            Self.allowMetered(true, on: stage)
            #expect(await stage.fill() == [1, 2])
        }
    }

    @Test func `whose host is out of reach has a slot if another address of its file is not`() throws {
        let stage = try TurnsStage(settings: Self.settings())
        let urls = try ["a", "b"].map { try RequestURL("http://\($0).example/1") }
        let transfer = try TurnsStage.transfer(1) { ($0.url, $0.mirrors) = (urls[0], MirrorList(urls)) }
        stage.play { stage in
            stage.start()
            stage.registry.keep(transfer)
            stage.unreachable.withLock { $0 = ["a.example", "b.example"] }
            stage.turns.lineUp(transfer)
            #expect(stage.turns.detour(of: transfer) == nil)
            #expect(await stage.fill() == [])
            stage.unreachable.withLock { $0 = ["a.example"] }
            stage.turns.reachMayHaveChanged()
            #expect(stage.turns.detour(of: transfer) == .noRoute)
            #expect(await stage.fill() == [1])
            stage.unreachable.withLock { $0 = ["b.example"] }
            #expect(stage.turns.detour(of: transfer) == nil)
        }
    }

    @Test func `suspects are begun one at a time, beside those that nobody suspects`() throws {
        let stage = try TurnsStage(settings: Self.settings(), crashes: Self.crashes([1, 2]))
        stage.play { stage in
            stage.start()
            stage.lineUp(1...3)
            await stage.turnIsOver()
            #expect(Set(await stage.fill()) == [1, 3])
            #expect(stage.turns.suspectedCrashes(of: TransferID(rawValue: 2)) == 2)
            #expect(stage.turns.suspectedCrashes(of: TransferID(rawValue: 3)) == nil)
            stage.turns.trialEnded(TransferID(rawValue: 1))
            await stage.turnIsOver()
            #expect(Set(await stage.fill()) == [1, 2, 3])
        }
    }

    /// A memory of two crashes over each of these transfers.
    private static func crashes(_ numbers: [Int64]) -> CrashMemory {
        var containment = CrashContainment()
        for number in numbers {
            for second in 0..<2 {
                var at = TurnsStage.now
                at.uptime -= Double(second)
                containment.died(
                    DaemonDeath(
                        at: at,
                        version: "1",
                        signal: 4,
                        thread: "engine",
                        place: "offstaged+0x1",
                        work: DaemonWork(.transfer, .attempt, name: "\(number)"),
                        underWay: []
                    )
                )
            }
        }
        return CrashMemory(containment)
    }

    @Test(
        arguments: [
            (runs: true, isReachable: true, hold: nil, loss: nil),
            (runs: true, isReachable: false, hold: nil, loss: "the network went away"),
            (runs: true, isReachable: true, hold: .expensive, loss: "the network changed to one that it must not use"),
            (runs: true, isReachable: true, hold: .unknownNetwork, loss: nil),
            (runs: false, isReachable: false, hold: .expensive, loss: nil),
        ] as [(runs: Bool, isReachable: Bool, hold: TransferHold?, loss: String?)]
    )
    func `an attempt must not go on where its way is lost`(
        runs: Bool,
        isReachable: Bool,
        hold: TransferHold?,
        loss: String?
    ) throws {
        let stage = try TurnsStage(settings: Self.settings())
        var transfer = try TurnsStage.transfer(1)
        if runs { _ = transfer.started(now: TurnsStage.now, offset: 0) }
        if !isReachable { stage.unreachable.withLock { $0 = ["a.example"] } }
        stage.turns.setMachine(hold: { _, _ in hold }, wish: { _ in })
        #expect(stage.turns.lossOfWay(of: transfer) == loss)
    }
}
