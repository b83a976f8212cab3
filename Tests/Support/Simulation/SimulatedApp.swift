// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageProtocol

/// An app with a life cycle, a background session and deferred work: the behaviour of its code, and the promises that
/// it remembers on its disk.
///
/// `@unchecked Sendable`: belongs to the simulation's single thread.
final class SimulatedApp: @unchecked Sendable {
    static let taskIdentifiers = ["tidy", "refresh", "index"]
    static let sessionIdentifier = "photos"

    let id: String
    let world: SimulatedWorld
    let servers: SimulatedServers
    private(set) var process: SimulatedProcess?
    /// The process's view of its own state.
    var view = StageView()
    private var hasLaunched = false
    var transfers: SessionBook
    /// Requests for deferred work that the daemon has accepted and that have not started.
    private var accepted: Set<String> = []
    /// Requests that have been sent and not answered yet.
    private var asked: Set<String> = []
    /// How often each was started.
    private var begun: [String: Int] = [:]
    /// Runs whose work ended while the process was stopped.
    private var unfinished: [UInt64] = []
    private(set) var counts: [String: Int] = [:]

    init(_ id: String, _ world: SimulatedWorld, _ servers: SimulatedServers) {
        self.id = id
        self.world = world
        self.servers = servers
        transfers = SessionBook(app: id, world, servers)
    }

    /// The promises that are still open.
    var outstanding: [String] {
        transfers.outstanding.map { "\(id)'s \($0)" } + accepted.sorted().map { "\(id)'s deferred work \($0)" }
    }

    func count(_ name: String) { counts[name, default: 0] += 1 }

    // MARK: Its processes

    /// Handles the start of a daemon.
    func began() {
        // Their answers are lost.
        asked = []
        world.after(world.seconds(0.5)) { [self] in connect() }
    }

    /// Lets something happen to the app from outside.
    func live() {
        world.after(world.seconds(5)) { [self] in
            if process == nil, !world.isEnding || !outstanding.isEmpty, world.chance(3) {
                hasStarted(world.processes.start(self, token: nil))
            } else if let process, !world.isEnding {
                switch world.number(8) {
                case 0: process.kill()
                case 1 where !process.isHalted: move(to: .background)
                default: act()
                }
            }
            live()
        }
    }

    /// Handles the start of a process, which will connect.
    func hasStarted(_ process: SimulatedProcess) {
        // Only one at a time: the daemon refuses the second, which then exits.
        if self.process != nil { return refuse(process) }
        self.process = process
        view = StageView()
        hasLaunched = false
        unfinished = []
        transfers.hasNewProcess()
        world.after(world.seconds(0.2)) { [self] in connect() }
    }

    private func refuse(_ process: SimulatedProcess) { world.after(0.1) { process.kill() } }

    func hasEnded(_ process: SimulatedProcess) {
        if self.process === process { self.process = nil }
    }

    /// Handles the continuation of a stopped process: its connections may be gone.
    func continues(_ process: SimulatedProcess) {
        guard self.process === process else { return }
        world.after(0.001) { [self] in
            connect()
            for number in unfinished where mayRun { completeTask(number) }
        }
    }

    private var mayRun: Bool { process.map { !$0.isHalted && !$0.hasEnded } ?? false }

    // MARK: On stage

    private func connect() {
        guard mayRun, let process, let life = world.life else { return }
        if process.stage?.isOpen != true {
            process.stage = SimulatedClient(life, process: process.identity.number)
            process.stage?.heard = { [self] frame in
                guard frame.name == StageCommand.name else { return }
                carryOut(SimulatedWorld.must { try WireCoding.decode(StageCommand.self, from: frame.payload) })
            }
            process.stage?.ask(AttachApp(view: view)) { [self] answer, _ in attached(process, answer) }
        }
        if process.session?.isOpen != true {
            process.session = SimulatedClient(life, process: process.identity.number)
            if let session = process.session { transfers.open(session) }
        }
    }

    private func attached(_ process: SimulatedProcess, _ answer: Result<AttachApp.Reply, WireFailure>) {
        switch answer {
        case .failure:
            // Another process is on stage, or the daemon has just gone.
            world.after(1) { [self] in connect() }
            process.stage?.close()
        case .success(let reply):
            guard !hasLaunched else { return }
            hasLaunched = true
            report(.launched)
            move(to: reply.launch.isForeground ? .active : .background)
            act()
        }
    }

    private var life: DaemonLifetime? { world.life }

    func report(_ report: StageReport) {
        process?.stage?.tell(StageReport.name, SimulatedWorld.must { try WireCoding.encode(report) })
    }

    private func move(to state: LifeState) {
        guard hasLaunched else { return }
        view.state = state
        report(.state(state))
    }

    private func carryOut(_ command: StageCommand) {
        switch command {
        case .enterForeground: move(to: .active)
        case .enterBackground: move(to: .background)
        case .backgroundTime, .memoryWarning: break
        case .expire: report(.expired)
        case .handleEvents(let session, _):
            count("woken for its session")
            view.unhandled.append(session)
            report(.announced(session: session))
            transfers.handledLater = { [self] in
                view.unhandled.removeAll { $0 == session }
                report(.handled(session: session))
            }
            transfers.look()
        case .startTask(let launch, _): startTask(launch)
        case .expireTask(let number, _): completeTask(number)
        case .prepareToSuspend(let number):
            report(.finishing(number))
            report(.readyToSuspend(number))
        case .terminate: process?.kill()
        }
    }

    // MARK: What its code does

    /// Hands over some tasks of its session, or asks for deferred work.
    private func act() {
        guard mayRun, !world.isEnding else { return }
        if world.chance(2) { transfers.handOver() } else { submitTask() }
    }

    private func submitTask() {
        guard let process, let life = world.life, let client = process.stage, client.isOpen else { return }
        let identifier = Self.taskIdentifiers[world.number(Self.taskIdentifiers.count)]
        // A new request replaces a pending one, so there is one at a time, and each must run.
        guard !accepted.contains(identifier), !asked.contains(identifier) else { return }
        let begin = world.chance(2) ? nil : Date(timeIntervalSince1970: world.clock.wall + world.seconds(600))
        let kind: TaskRequest.Kind = identifier == "refresh" ? .refresh : .processing
        let draft = TaskDraft(identifier: identifier, kind: kind, earliestBegin: begin)
        asked.insert(identifier)
        let before = begun[identifier]
        let submitting = SimulatedClient(life, process: process.identity.number)
        submitting?.ask(SubmitTask(draft: draft, nonce: world.generator.next())) { [self] answer, _ in
            submitting?.close()
            asked.remove(identifier)
            guard case .success(let reply) = answer, reply.refusal == nil else { return }
            count("deferred work taken")
            // It may have been started before its answer came.
            if begun[identifier] == before { accepted.insert(identifier) }
        }
    }

    private func startTask(_ launch: TaskLaunch) {
        let number = launch.number
        // If it is launched again, it reports the status and starts nothing.
        if let completed = view.completedTasks.first(where: { $0.number == number }) {
            report(.taskEntered(number))
            return report(.taskCompleted(completed))
        }
        if view.runningTasks[number] == true { return report(.taskEntered(number)) }
        view.runningTasks[number] = true
        count("deferred work begun")
        begun[launch.identifier, default: 0] += 1
        accepted.remove(launch.identifier)
        report(.taskEntered(number))
        world.after(world.seconds(5)) { [self] in
            // A stopped process is told to end, or continues later.
            if mayRun { completeTask(number) } else { unfinished.append(number) }
        }
    }

    private func completeTask(_ number: UInt64) {
        guard view.runningTasks.removeValue(forKey: number) != nil else { return }
        let completion = TaskCompletion(number: number, success: true)
        view.completedTasks.append(completion)
        if view.completedTasks.count > 100 { view.completedTasks.removeFirst() }
        report(.taskCompleted(completion))
    }
}
