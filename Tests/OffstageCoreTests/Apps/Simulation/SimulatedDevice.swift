// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport

/// A daemon with one app, a kernel, a store, a shell and a person, all in virtual time. The kernel carries out the
/// daemon's orders late, twice or not at all. The daemon may be killed at any moment, and afterwards knows only what
/// was durable.
struct SimulatedDevice {
    static let sessions = ["photos", "films"]

    var random: SeededGenerator
    var time = 0.0
    var agenda = SimulatedAgenda()
    /// Nil while the daemon is not running.
    var life: AppLife?
    var processes: [ProcessIdentity: SimulatedProcess] = [:]
    /// The processes that the daemon launched or accepted as the app's.
    var onStage: Set<ProcessIdentity> = []
    /// The process that was the app's at the last event.
    var taken: ProcessIdentity?

    var durable: AppRegistration?
    /// Processes durably recorded as being killed.
    var condemned: Set<ProcessIdentity> = []
    var isCommitting = false
    var isCommitWanted = false
    var committing: (registration: AppRegistration?, condemned: Set<ProcessIdentity>)?
    /// Processes recorded as being killed, but not durably yet.
    var newlyCondemned: Set<ProcessIdentity> = []

    /// Sessions whose events wait for the app.
    var pending: Set<String> = []
    var schedule = SimulatedSchedule()
    var policy: AppLife.Policy
    var lastOrder = 0.0
    var lookNumber = 0
    var processCount: Int32 = 0
    var linkCount = 0
    var tokenCount = 0
    /// Seconds that the machine slept without the daemon knowing yet; some kernels cannot report it.
    var sleptUnheard = 0.0
    /// Whether the alarm being delivered is so late that the machine must have slept.
    var isAlarmLate = false
    /// Whether anything goes wrong.
    var isRough = true

    var eventCount = 0
    var failure: String?
    /// How often in a row it has asked for a look at a time that had already passed.
    var idleLooks = 0
    /// The state that may only be temporary, and since when it has lasted.
    var strayed: (what: String, since: Double)?
    /// The latest events; kept only on request, because they cost time.
    var trace: [String]?

    init(seed: UInt64, isTraced: Bool = false) {
        random = SeededGenerator(seed: seed)
        let times = [0.5, 5, 30, 180]
        policy = AppLife.Policy(
            time: BackgroundTimeProfile(taskTime: times[Int.random(in: 0..<4, using: &random)]),
            isStrict: Int.random(in: 0..<4, using: &random) == 0
        )
        trace = isTraced ? [] : nil
        agenda.add(.daemonStarts, at: 0)
        agenda.add(.whim, at: 0.01)
    }

    /// A process that is condemned before it has a number.
    static let unborn = ProcessIdentity(number: 0, startedAt: 0)

    static let registration = AppRegistration(
        id: "org.example.app",
        executable: "/opt/app",
        information: .init(),
        launch: .init(arguments: [], workingDirectory: "/", environment: [:])
    )

    var now: Moment {
        Moment(wall: Date(timeIntervalSince1970: 1_800_000_000 + time), bootID: "boot-1", uptime: 5000 + time)
    }

    // MARK: Chance

    mutating func chance(_ percent: Int) -> Bool { isRough && Int.random(in: 0..<100, using: &random) < percent }

    mutating func seconds(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }

    mutating func later(_ range: ClosedRange<Double>, _ happening: SimulatedHappening) {
        agenda.add(happening, at: time + seconds(range))
    }

    // MARK: Running

    /// Runs until the rule has handled so many events, and then lets everything come to rest.
    mutating func run(events: Int) {
        while eventCount < events, failure == nil { step() }
        comeToRest()
    }

    private mutating func comeToRest() {
        guard failure == nil else { return }
        isRough = false
        agenda.removeAll { if case .whim = $0 { true } else { false } }
        for identity in processes.keys.sorted(by: { $0.startedAt < $1.startedAt }) {
            behave(identity)
        }
        lookAtTasks()
        let end = time + 4 * 3600
        while failure == nil, time < end, agenda.nextTime != nil || life?.nextLook != nil { step() }
        if failure == nil { checkRest() }
    }

    /// The machine sleeps: nothing happens, and the clock goes on.
    private mutating func sleeps() {
        let pause = seconds(0.2...120)
        note("the machine sleeps for \(pause) s")
        time += pause
        if life != nil, chance(50) { sleptUnheard += pause }
        strayed?.since += pause
        machineSleptOverTasks(pause)
    }

    private mutating func step() {
        if chance(1), chance(30) { sleeps() }
        let look = life?.nextLook.map { $0 - 5000 }
        let next = agenda.nextTime
        if let look, look <= next ?? .infinity {
            // Timers are never early, and sometimes late.
            idleLooks = look <= time ? idleLooks + 1 : 0
            if idleLooks > 100 { return fail("it asks for a time that has come, again and again") }
            time = max(time, look) + (chance(10) ? 0.02 : 0)
            isAlarmLate = time - look > 0.11
            tell(.timeIsUp)
            isAlarmLate = false
        } else if let (due, happening) = agenda.popFirst() {
            time = max(time, due)
            note("\(happening)")
            take(happening)
        }
        checkWhatMayNotLast()
    }

    private mutating func take(_ happening: SimulatedHappening) {
        switch happening {
        case .order(let action, let process): carryOut(action, process)
        case .look(let process, let number): look(at: process, number: number)
        case .spawn(let cause, let token): spawn(cause, token: token)
        case .ended(let process, let end): told(process, ended: end)
        case .commitDone: commitDone()
        case .taskCommitDone(let number): taskCommitDone(number)
        case .startTask(let number): startTask(number)
        case .attach(let process, let link, let view): attach(process, link: link, view)
        case .answer(let process, let link, let answer): answered(process, link: link, answer)
        case .command(let command, let process, let link): received(command, process, link: link)
        case .report(let report, let process, let link): reported(report, process, link: link)
        case .hangUp(let process, let link): hungUp(process, link: link)
        case .daemonStarts: startDaemon()
        case .shellTakesTerminal(let process): processes[process]?.isTerminalsOwn = false
        case .whim: whim()
        case .connect(let process), .work(let process), .endTask(let process, _), .complete(let process, _),
            .take(let process, _), .enterTask(let process, _), .completeTask(let process, _), .ready(let process, _),
            .noticeTerminal(let process):
            guard let known = processes[process] else { return }
            if known.isStopped {
                processes[process]?.deferred.append(happening)
            } else {
                act(happening, process)
            }
        }
    }

    mutating func note(_ line: @autoclosure () -> String) {
        guard trace != nil else { return }
        trace?.append("\((time * 10000).rounded() / 10000) \(line())")
        if trace?.count ?? 0 > 160 { trace?.removeFirst(80) }
    }

    mutating func fail(_ what: String) {
        guard failure == nil else { return }
        failure = what
    }
}
