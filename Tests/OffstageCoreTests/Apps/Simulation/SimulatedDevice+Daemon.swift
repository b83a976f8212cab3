// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The daemon: how it carries out the rule's actions, and how it is killed and restarted.
extension SimulatedDevice {
    mutating func tell(_ event: AppEvent) {
        guard life != nil else { return }
        if sleptUnheard > 0 {
            let seconds = sleptUnheard
            sleptUnheard = 0
            tell(.machineSlept(seconds))
        }
        guard var rule = life else { return }
        eventCount += 1
        tokenCount += 1
        let before = rule.state
        let wasQuit = rule.registration.isQuit
        let actions = rule.handle(event, now: now, token: "token-\(tokenCount)")
        life = rule
        if wasQuit, !rule.registration.isQuit { lookAtTasks() }
        note("  \(event): \(before) -> \(rule.state) \(actions) look \(rule.nextLook.map { $0 - 5000 } ?? -1)")
        let heard = takeUpNewProcess()
        for action in actions { perform(action) }
        checkRule()
        for event in heard { tell(event) }
    }

    private mutating func perform(_ action: AppAction) {
        switch action {
        case .spawn(let cause, let token):
            if chance(1) { return }
            later(0.001...0.05, .spawn(cause, token: token))
        case .send(let command):
            if case .startTask(let launch, _) = command { toldOfTask(launch) }
            send(command)
        case .stop, .resume, .resumeBehindTerminal, .kill, .setPriority: order(action)
        case .observe(let delay):
            lookNumber += 1
            guard let process = life?.process, !chance(5) else { return }
            agenda.add(.look(process, number: lookNumber), at: time + delay + seconds(0...0.001))
        case .record(let entry): record(entry)
        case .persist:
            isCommitWanted = true
            commit()
        case .cancelTransfers: pending = []
        case .deliverEvents(let session): deliver(session)
        case .taskNotice(let notice): heard(notice)
        case .refuseSecondProcess(let identity):
            guard let link = processes[identity]?.link else { return }
            later(0...0.01, .answer(identity, link: link, .refused))
        }
    }

    // MARK: The store

    private mutating func record(_ entry: AppEntry) {
        switch entry.happening {
        case .killed(let reason):
            newlyCondemned.insert(life?.process ?? Self.unborn)
            checkLateness(of: reason)
        case .handledEvents(let session): pending.remove(session)
        default: break
        }
    }

    private mutating func commit() {
        guard !isCommitting, isCommitWanted else { return }
        isCommitWanted = false
        isCommitting = true
        committing = (life?.registration, newlyCondemned)
        later(chance(20) ? 0.1...0.5 : 0.0005...0.01, .commitDone)
    }

    private mutating func makeDurable() {
        guard let committing else { return }
        durable = committing.registration
        condemned.formUnion(committing.condemned)
        self.committing = nil
    }

    mutating func commitDone() {
        makeDurable()
        isCommitting = false
        if isCommitWanted { commit() } else { tell(.committed) }
    }

    // MARK: Connections

    private mutating func send(_ command: StageCommand) {
        guard let process = life?.process, let known = processes[process], let link = known.link else { return }
        guard known.isAccepted else {
            if life?.owesProcess == true { processes[process]?.heldCommands.append(command) }
            return
        }
        let due = max(processes[process]?.lastReceived ?? 0, time + seconds(0.0001...0.003))
        processes[process]?.lastReceived = due
        agenda.add(.command(command, process, link: link), at: due)
    }

    mutating func attach(_ process: ProcessIdentity, link: Int, _ view: StageView) {
        guard processes[process]?.link == link else { return }
        attachedWithTasks(view)
        tell(.attached(process, view))
    }

    /// Handles that the app has a new process, or that its process is now connected.
    private mutating func takeUpNewProcess() -> [AppEvent] {
        guard let rule = life, let process = rule.process else { return [] }
        guard let known = processes[process] else {
            // The process ended while it waited for the previous one to end.
            if taken != process { agenda.add(.ended(process, .unknown), at: time) }
            taken = process
            return []
        }
        taken = process
        guard !rule.owesProcess else { return [] }
        onStage.insert(process)
        guard rule.isAttached, !known.isAccepted else { return [] }
        guard let link = known.link else { return [.disconnected] }
        processes[process]?.isAccepted = true
        let due = max(known.lastReceived, time + seconds(0.0001...0.003))
        processes[process]?.lastReceived = due
        let answer = SimulatedAnswer.accepted(rule.launchCause ?? .person, timeEnds: rule.timeEnds)
        agenda.add(.answer(process, link: link, answer), at: due)
        processes[process]?.held = []
        processes[process]?.heldCommands = []
        for command in known.heldCommands { send(command) }
        return known.held.map { .report($0) }
    }

    mutating func reported(_ report: StageReport, _ process: ProcessIdentity, link: Int) {
        guard let known = processes[process], known.link == link else {
            // Reports sent before a process ended or hung up are still read.
            if life?.process == process, processes[process] == nil { tell(.report(report)) }
            return
        }
        if known.isAccepted {
            tell(.report(report))
        } else {
            processes[process]?.held.append(report)
        }
    }

    mutating func hungUp(_ process: ProcessIdentity, link: Int) {
        guard processes[process]?.link == link || processes[process] == nil else { return }
        let wasAccepted = processes[process]?.isAccepted ?? true
        processes[process]?.link = nil
        processes[process]?.isAccepted = false
        processes[process]?.held = []
        processes[process]?.heldCommands = []
        if processes[process] != nil { later(0.01...1, .connect(process)) }
        if life?.process == process, wasAccepted { tell(.disconnected) }
    }

    // MARK: Sessions

    mutating func sessionEnded(_ session: String) {
        pending.insert(session)
        guard let rule = life else { return }
        tell(.sessionNeedsApp(session))
        if rule.state == .active || rule.state == .inactive { deliver(session) }
    }

    private mutating func deliver(_ session: String?) {
        guard let process = life?.process else { return }
        for waiting in Self.sessions where pending.contains(waiting) && (session == nil || session == waiting) {
            later(0.001...0.2, .take(process, session: waiting))
        }
    }

    // MARK: Life and death

    mutating func killDaemon() {
        note("the daemon is killed")
        life = nil
        if Bool.random(using: &random) { makeDurable() }
        committing = nil
        isCommitting = false
        isCommitWanted = false
        newlyCondemned = []
        strayed = nil
        forgetTasksUnderWay()
        agenda.removeAll(where: \.diesWithDaemon)
        if Bool.random(using: &random) {
            agenda.removeAll { if case .spawn = $0 { true } else { false } }
        }
        for process in processes.keys.sorted(by: { $0.startedAt < $1.startedAt }) {
            if let known = processes[process], known.isStopped, known.isInTerminal, known.seen != .background {
                // Stopped by Ctrl-Z; the next daemon cannot tell that from a stop that a daemon ordered.
                processes[process]?.isLeftToShell = true
            }
            processes[process]?.link = nil
            processes[process]?.isAccepted = false
            processes[process]?.held = []
            processes[process]?.heldCommands = []
            processes[process]?.lastSent = 0
            later(0.01...1, .connect(process))
        }
        later(0.001...3, .daemonStarts)
    }

    mutating func startDaemon() {
        guard life == nil else { return }
        // The kernel has already carried out all earlier orders.
        lastOrder = 0
        guard let durable else {
            sleptUnheard = 0
            life = AppLife(Self.registration, policy: policy)
            restateNeeds()
            resumeTasks()
            return
        }
        sleptUnheard = 0
        life = AppLife(durable, policy: policy)
        if durable.process == nil, let token = durable.launchToken,
            let found = processes.values.first(where: { $0.token == token })
        {
            tell(.spawned(found.identity))
        }
        let process = life?.registration.process?.identity
        tell(.restored(isStopped: process.flatMap { processes[$0]?.isStopped }))
        restateNeeds()
        resumeTasks()
    }

    private mutating func restateNeeds() {
        for session in Self.sessions where pending.contains(session) { tell(.sessionNeedsApp(session)) }
    }
}
