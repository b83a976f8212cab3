// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport

/// A week of a machine on which apps submit deferred work: a daemon around the schedule, a store, a few apps, a person,
/// and much that goes wrong. Only the schedule is real, and time is virtual. The daemon may be killed at any moment,
/// and afterwards knows only what was durable. A naive reading of the same rule checks its decisions.
struct SimulatedWeek {
    static let length = 7 * 86_400.0
    private static let epoch = 1_800_000_000.0

    var random: SeededGenerator
    /// Seconds since the week began, whatever the clocks show.
    var time = 0.0
    /// By how much the wall clock was set.
    var wallShift = 0.0
    var bootID = "boot-1"
    var bootTime = -300.0
    var agenda = SimulatedWeekAgenda()

    /// Nil while the daemon is not running.
    var schedule: TaskSchedule?
    var naive: NaiveTaskSchedule
    var store = SimulatedTaskStore()
    var nextNumber: UInt64 = 1
    var isCommitDue = false
    var apps: [SimulatedTaskApp]
    var policy: TaskPolicy
    var conditions = MachineConditions()
    let hasBattery: Bool
    /// Seconds between two changes of conditions, and between two things that the person does.
    let changeInterval: Double
    let personInterval: Double

    /// Handlers that were entered, and had no reason since then to be entered again.
    var entered: Set<UInt64> = []
    /// The request to start regardless of holds.
    var forced: UInt64?
    var idleLooks = 0
    var counts = SimulationCounts()
    var failure: String?
    /// The latest events; kept only on request, because they cost time.
    var trace: [String]?

    init(seed: UInt64, isTraced: Bool = false) {
        random = SeededGenerator(seed: seed)
        trace = isTraced ? [] : nil
        var policy = TaskPolicy()
        policy.runningLimit = [1, 1, 2, 4][Int.random(in: 0..<4, using: &random)]
        policy.runningContinuedLimit = Int.random(in: 1...2, using: &random)
        policy.dailySeconds = [300, 1800, 14_400][Int.random(in: 0..<3, using: &random)]
        self.policy = policy
        hasBattery = Bool.random(using: &random)
        changeInterval = [600, 3600, 10_000, 40_000][Int.random(in: 0..<4, using: &random)]
        personInterval = [1800, 7200, 30_000][Int.random(in: 0..<3, using: &random)]
        let pace = [0.3, 1, 1, 2, 4][Int.random(in: 0..<5, using: &random)]
        var apps: [SimulatedTaskApp] = []
        for number in 0..<Int.random(in: 1...6, using: &random) {
            apps.append(SimulatedTaskApp(number: number, pace: pace, random: &random))
        }
        self.apps = apps
        let now = Moment(wall: Date(timeIntervalSince1970: Self.epoch), bootID: "boot-1", uptime: 300)
        naive = NaiveTaskSchedule(apps: apps.map(\.name), policy: policy, conditions: conditions, now: now)
        agenda.add(.daemonStarts, at: 0)
        for app in apps.indices { agenda.add(.personActs, at: 1 + Double(app)) }
        agenda.add(.conditionChanges, at: 2)
        agenda.add(.somethingBreaks, at: 3600)
        agenda.add(.look, at: 60)
    }

    var now: Moment {
        Moment(
            wall: Date(timeIntervalSince1970: Self.epoch + time + wallShift),
            bootID: bootID,
            uptime: time - bootTime
        )
    }

    // MARK: Chance

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func seconds(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }

    /// Mostly less than the mean, now and then much more.
    mutating func pause(_ mean: Double) -> Double { mean * (0.05 - log2(seconds(0.0001...1))) * 0.6931 }

    mutating func later(_ range: ClosedRange<Double>, _ happening: SimulatedWeekHappening) {
        agenda.add(happening, at: time + seconds(range))
    }

    private func log2(_ value: Double) -> Double {
        Double(value.exponent) + (value.significand - 1) * (1.4 - 0.4 * (value.significand - 1))
    }

    // MARK: Running

    mutating func run() {
        while time < Self.length, failure == nil { step() }
        if failure == nil { checkEnd() }
        counts.weeks += 1
    }

    private mutating func step() {
        let look = lookTime
        guard look <= agenda.nextTime else {
            guard let (due, happening) = agenda.popFirst() else { return fail("nothing happens any more") }
            time = max(time, due)
            note("\(happening)")
            idleLooks = 0
            return take(happening)
        }
        // Timers are never early, and sometimes late.
        time = max(time, look)
        while let next = schedule?.nextLook, next.uptime ?? .infinity > time - bootTime, lookTime > time - 1e-3,
            next.wall ?? .infinity > now.wall.timeIntervalSince1970
        {
            time += 1e-6
        }
        if chance(5) { time += seconds(0...2) }
        note("the time of the next look has come")
        idleLooks += 1
        counts.looks += 1
        if idleLooks > 20 + 3 * naive.requests.count + 2 * apps.count { return fail("it looks again and again") }
        tell(.timeIsUp)
    }

    /// When the schedule wants its next look, in seconds of the week.
    private var lookTime: Double {
        guard let next = schedule?.nextLook else { return .infinity }
        let byUptime = (next.uptime ?? .infinity) + bootTime
        return min(byUptime, (next.wall ?? .infinity) - Self.epoch - wallShift)
    }

    private mutating func take(_ happening: SimulatedWeekHappening) {
        switch happening {
        case .launched(let app, let process): if isAlive(app, process) { launched(app) }
        case .enters(let app, let process, let number): if isAlive(app, process) { enter(number, app) }
        case .finishes(let app, let process, let number): if isAlive(app, process) { finish(number, app) }
        case .crashes(let app, let process): if isAlive(app, process) { processEnds(app, isCrash: true) }
        case .runsTooLong(let app, let process, let number):
            if isAlive(app, process), apps[app].running[number] != nil || apps[app].told[number] != nil {
                counts.kills += 1
                processEnds(app, isCrash: true)
            }
        case .ended(let app, let process): if isAlive(app, process) { endingIsOver(app) }
        case .commitDone: commitDone()
        case .daemonStarts: startDaemon()
        case .look: look()
        case .conditionChanges: changeConditions()
        case .personActs: personActs()
        case .somethingBreaks: somethingBreaks()
        }
    }

    private func isAlive(_ app: Int, _ process: Int) -> Bool { apps[app].process == process }

    mutating func note(_ line: @autoclosure () -> String) {
        guard trace != nil else { return }
        trace?.append("\((time * 1000).rounded() / 1000) \(line())")
        if trace?.count ?? 0 > 240 { trace?.removeFirst(120) }
    }

    mutating func fail(_ what: String) {
        guard failure == nil else { return }
        failure = what
    }
}
