// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A request for deferred work, as the store holds it.
struct SimulatedRequest {
    enum Phase { case pending, starting, running }

    var launch: TaskLaunch
    var phase = Phase.pending
}

/// The schedule of deferred work: asks for tasks, records the notices it receives, and restarts with the daemon.
struct SimulatedSchedule {
    /// The requests that the daemon knows, and those that are durable.
    var requests: [UInt64: SimulatedRequest] = [:]
    var durable: [UInt64: SimulatedRequest] = [:]
    var count: UInt64 = 0
    /// Starts that have not ended, each with its deadline; nil if it has none, or until the process has been notified.
    var open: [UInt64: Double?] = [:]
    /// Tasks that a process may report although they were not asked for: it had them when it connected.
    var adoptable: Set<UInt64> = []
    /// Tasks whose handler is known to have been entered, and tasks that may nevertheless have been lost with their
    /// process.
    var entered: Set<UInt64> = []
    var mayRunAgain: Set<UInt64> = []
    /// The processes that have entered a task's handler.
    var handlers: [UInt64: [ProcessIdentity]] = [:]
}

/// What the daemon does for deferred work.
extension SimulatedDevice {
    private static let times: [Double?] = [0.6, 5, 30, 600, nil]
    /// Seconds for which a task may be under way after its time: lost connections, lost signals and slow stores.
    private static let workGrace = 90.0

    mutating func submitTask() {
        guard life != nil else { return }
        schedule.count += 1
        let seconds = Self.times[Int.random(in: 0..<Self.times.count, using: &random)]
        let launch = TaskLaunch(
            number: schedule.count,
            identifier: "task",
            kind: seconds == nil ? .continued : .processing,
            seconds: seconds
        )
        schedule.requests[launch.number] = SimulatedRequest(launch: launch)
        schedule.durable[launch.number] = schedule.requests[launch.number]
        agenda.add(.startTask(launch.number), at: time)
    }

    /// Its time has come, or it is checked once more.
    mutating func startTask(_ number: UInt64) {
        guard let life, schedule.open[number] == nil else { return }
        if life.process == nil, let phase = schedule.requests[number]?.phase, phase != .pending { interrupt(number) }
        guard var request = schedule.requests[number] else { return }
        // It would be asked for forever.
        if !isRough, isPlainProgram { return }
        if request.phase == .pending {
            switch life.hold(at: now) {
            case nil: break
            case .quit: return
            case .ending: return later(0.5...2, .startTask(number))
            case .backedOff(let until, _): return agenda.add(.startTask(number), at: until - 5000)
            }
            request.phase = .starting
            // This is durable before anything is done for it.
            schedule.durable[number] = request
            schedule.requests[number] = request
        }
        schedule.open[number] = .some(nil)
        if request.phase == .running {
            // Until the process has reported, this daemon does not know whether the process has the task.
            schedule.mayRunAgain.insert(number)
            schedule.entered.remove(number)
            tell(.resumeTask(request.launch))
        } else {
            tell(.startTask(request.launch))
        }
    }

    /// The condition that held all of them has ended.
    mutating func lookAtTasks() {
        for number in schedule.requests.keys.sorted() { agenda.add(.startTask(number), at: time) }
    }

    mutating func expireAnyTask() {
        guard let number = schedule.open.keys.sorted().randomElement(using: &random) else { return }
        let expiries: [TaskExpiry] = [.machineBusy, .powerLost, .cancelledByPerson, .simulated]
        tell(.expireTask(number, expiries[Int.random(in: 0..<expiries.count, using: &random)]))
    }

    mutating func heard(_ notice: TaskNotice) {
        switch notice {
        case .progress: break
        case .entered(let number):
            guard schedule.requests[number] != nil else { return }
            schedule.requests[number]?.phase = .running
            schedule.entered.insert(number)
            schedule.mayRunAgain.remove(number)
            commitTask(number)
        case .ended(let number, _):
            hasEnded(number)
            schedule.requests[number] = nil
            commitTask(number)
        case .returned(let number, _):
            hasEnded(number)
            guard schedule.requests[number] != nil else { return }
            if schedule.entered.contains(number) { fail("task \(number) comes back though it was entered") }
            schedule.requests[number]?.phase = .pending
            commitTask(number)
            later(5...10, .startTask(number))
        }
    }

    private mutating func hasEnded(_ number: UInt64) {
        if schedule.open.removeValue(forKey: number) != nil { return }
        if schedule.adoptable.remove(number) == nil { fail("task \(number) ends twice") }
    }

    private mutating func commitTask(_ number: UInt64) { later(0.0005...0.01, .taskCommitDone(number)) }

    mutating func taskCommitDone(_ number: UInt64) { schedule.durable[number] = schedule.requests[number] }

    /// The process has been notified: its time begins.
    mutating func toldOfTask(_ launch: TaskLaunch) {
        guard schedule.open[launch.number] != nil else {
            return fail("task \(launch.number) is started and nobody wants it")
        }
        schedule.open[launch.number] = .some(launch.seconds.map { time + $0 + Self.workGrace })
    }

    mutating func machineSleptOverTasks(_ pause: Double) {
        for (number, due) in schedule.open { schedule.open[number] = .some(due.map { $0 + 2 * pause }) }
    }

    // MARK: The daemon

    mutating func forgetTasksUnderWay() {
        schedule.requests = schedule.durable
        schedule.open = [:]
        schedule.adoptable = []
    }

    /// Asks again, sooner or later, for the tasks under way in a process that still exists.
    mutating func resumeTasks() {
        var isAlive = false
        if let process = life?.process { isAlive = processes[process] != nil }
        for number in schedule.requests.keys.sorted() {
            if schedule.requests[number]?.phase != .pending, !isAlive { interrupt(number) }
            later(0...(chance(20) ? 5 : 0.1), .startTask(number))
        }
    }

    /// Its process is gone, and the way it ended is unknown.
    private mutating func interrupt(_ number: UInt64) {
        schedule.requests[number]?.phase = .pending
        schedule.durable[number] = schedule.requests[number]
        schedule.mayRunAgain.insert(number)
        schedule.entered.remove(number)
    }

    mutating func attachedWithTasks(_ view: StageView) {
        guard let life else { return }
        let underWay = Set(life.tasksUnderWay)
        schedule.adoptable.formUnion(view.runningTasks.keys.filter { !underWay.contains($0) })
    }

    // MARK: Checks

    mutating func checkTasks() {
        for (number, due) in schedule.open {
            guard let due, time > due, let process = life?.process else { continue }
            guard processes[process]?.isLeftToShell == false else { continue }
            return fail("task \(number) is under way \(time - due) s after its time and all patience")
        }
    }

    mutating func checkTasksAtRest() {
        if let number = schedule.open.keys.min() { return fail("nothing is heard of task \(number)") }
        guard let life, !life.registration.isQuit, !isPlainProgram else { return }
        if let number = schedule.requests.keys.min() { fail("task \(number) is lost") }
    }
}

/// How a process handles deferred work, with the library's care: it does not begin a task again that it already has.
extension SimulatedDevice {
    mutating func startTask(_ launch: TaskLaunch, in identity: ProcessIdentity) {
        guard let process = processes[identity] else { return }
        let number = launch.number
        if let done = process.completedTasks.first(where: { $0.number == number }) {
            report(.taskCompleted(done), identity)
        } else if let hasEntered = process.runningTasks[number] {
            if hasEntered { report(.taskEntered(number), identity) }
        } else if chance(4) {
            report(.taskUnclaimed(number), identity)
        } else {
            processes[identity]?.runningTasks[number] = false
            later(0.0001...0.01, .enterTask(identity, number))
        }
    }

    mutating func enterTask(_ number: UInt64, _ identity: ProcessIdentity) {
        guard processes[identity]?.runningTasks[number] == false else { return }
        processes[identity]?.runningTasks[number] = true
        if schedule.entered.contains(number), !schedule.mayRunAgain.contains(number) {
            fail("the handler of task \(number) is entered again")
        }
        if schedule.handlers[number]?.contains(identity) == true { fail("task \(number) is begun twice in a process") }
        schedule.mayRunAgain.remove(number)
        schedule.handlers[number, default: []].append(identity)
        report(.taskEntered(number), identity)
        if chance(4) { return end(identity, .signalled(11)) }
        if chance(10) { report(.taskProgress(number, AppLifeStage.halfWay), identity) }
        if !chance(25) { later(chance(30) ? 1...60 : 0.001...2, .completeTask(identity, number)) }
    }

    mutating func expireTask(_ number: UInt64, in identity: ProcessIdentity) {
        if processes[identity]?.runningTasks[number] == false {
            // Its handler is no longer called.
            processes[identity]?.runningTasks[number] = nil
            return report(.taskLeftOut(number), identity)
        }
        if !chance(20) { later(0.0001...(chance(20) ? 8 : 0.5), .completeTask(identity, number)) }
    }

    mutating func completeTask(_ number: UInt64, _ identity: ProcessIdentity) {
        guard processes[identity]?.runningTasks.removeValue(forKey: number) != nil else { return }
        let completion = TaskCompletion(number: number, success: Bool.random(using: &random))
        processes[identity]?.completedTasks.append(completion)
        report(.taskCompleted(completion), identity)
    }

    /// Whether it has entered a task that is under way, as far as the schedule knows.
    func isAtWork(_ process: SimulatedProcess) -> Bool {
        process.runningTasks.contains { $0.value && schedule.open[$0.key] != nil }
    }
}
