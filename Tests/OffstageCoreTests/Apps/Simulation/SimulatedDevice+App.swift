// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The app: its main thread, its background tasks, its connection.
extension SimulatedDevice {
    mutating func report(_ report: StageReport, _ identity: ProcessIdentity) {
        switch report {
        case .leftTerminal: processes[identity]?.said(isInFront: false)
        case .terminal(let isInFront): processes[identity]?.said(isInFront: isInFront)
        default: break
        }
        guard let process = processes[identity], let link = process.link else { return }
        let due = max(process.lastSent, time + seconds(0.0001...0.003))
        processes[identity]?.lastSent = due
        agenda.add(.report(report, identity, link: link), at: due)
    }

    mutating func received(_ command: StageCommand, _ identity: ProcessIdentity, link: Int) {
        guard processes[identity]?.link == link else { return }
        if case .prepareToSuspend(let number) = command { return prepare(number, identity) }
        processes[identity]?.inbox.append(command)
        startWork(identity)
    }

    mutating func startWork(_ identity: ProcessIdentity) {
        guard let process = processes[identity], !process.isWorking, !process.isStopped, !process.isHung else { return }
        processes[identity]?.isWorking = true
        later(0.0001...0.002, .work(identity))
    }

    mutating func act(_ happening: SimulatedHappening, _ identity: ProcessIdentity) {
        switch happening {
        case .connect: connect(identity)
        case .work: work(identity)
        case .endTask(_, let id): endTask(id, identity)
        case .complete(_, let session): complete(session, identity)
        case .take(_, let session):
            guard pending.remove(session) != nil else { return }
            tell(.sessionSettled(session))
        case .enterTask(_, let number): enterTask(number, identity)
        case .completeTask(_, let number): completeTask(number, identity)
        case .ready(_, let number): ready(number, identity)
        case .noticeTerminal:
            guard let process = processes[identity], process.isInTerminal else { return }
            report(.terminal(isInFront: process.isTerminalsOwn), identity)
        default: break
        }
    }

    /// One time in twenty, the library does not know the question.
    private mutating func prepare(_ number: Int, _ identity: ProcessIdentity) {
        if chance(5) { return }
        report(.finishing(number), identity)
        later(chance(5) ? 0...8 : 0.0001...0.01, .ready(identity, number))
    }

    private mutating func ready(_ number: Int, _ identity: ProcessIdentity) {
        guard let process = processes[identity], !process.isHung else { return }
        guard process.steps.isEmpty, process.inbox.isEmpty else { return later(0.001...0.01, .ready(identity, number)) }
        processes[identity]?.unhandled = []
        report(.readyToSuspend(number), identity)
    }

    private mutating func connect(_ identity: ProcessIdentity) {
        guard let process = processes[identity], process.link == nil else { return }
        guard life != nil else {
            // Without a daemon, it runs like any other program, and keeps trying to connect.
            if !process.hasBegun, chance(30) { begin(identity, .person, timeEnds: nil) }
            return later(0.1...1, .connect(identity))
        }
        linkCount += 1
        let due = max(process.lastSent, time + seconds(0.0001...0.003))
        processes[identity]?.link = linkCount
        if process.isHung || !process.steps.isEmpty || !process.inbox.isEmpty {
            processes[identity]?.isBehindHand = true
        }
        processes[identity]?.lastSent = due
        agenda.add(.attach(identity, link: linkCount, process.view), at: due)
    }

    mutating func answered(_ identity: ProcessIdentity, link: Int, _ answer: SimulatedAnswer) {
        guard let process = processes[identity], process.link == link else { return }
        switch answer {
        case .refused: end(identity, .exited(0))
        case .accepted(let cause, let ends):
            if !process.hasBegun { begin(identity, cause, timeEnds: ends) }
        }
    }

    private mutating func begin(_ identity: ProcessIdentity, _ cause: LaunchCause, timeEnds: Double?) {
        processes[identity]?.hasBegun = true
        processes[identity]?.steps = StageScript.launch(cause, timeEnds: timeEnds)
        startWork(identity)
    }

    // MARK: The main thread

    private mutating func work(_ identity: ProcessIdentity) {
        processes[identity]?.isWorking = false
        guard let process = processes[identity], process.hasBegun, !process.isHung else { return }
        if process.steps.isEmpty {
            guard let command = process.inbox.first else { return }
            processes[identity]?.inbox.removeFirst()
            processes[identity]?.steps = StageScript.steps(for: command, in: process.seen)
        } else {
            processes[identity]?.steps.removeFirst()
            carryOut(process.steps[0], identity)
        }
        startWork(identity)
    }

    private mutating func carryOut(_ step: StageScript.Step, _ identity: ProcessIdentity) {
        switch step {
        case .become(let state): processes[identity]?.become(state)
        case .call(let call): carryOut(call, identity)
        case .setBackgroundTime, .callScene, .post: break
        case .runExpirationHandlers:
            for task in processes[identity]?.tasks ?? [] where !chance(10) { endTask(task.id, identity) }
            if chance(10) { beginTask(identity) }
        case .report(let said):
            if case .state(let state) = said { processes[identity]?.state = state }
            if said == .launched, let seen = processes[identity]?.seen { processes[identity]?.state = seen }
            report(said, identity)
        case .startTask(let launch): startTask(launch, in: identity)
        case .expireTask(let number, _): expireTask(number, in: identity)
        case .exit: end(identity, .exited(0))
        }
    }

    private mutating func carryOut(_ call: DelegateCall, _ identity: ProcessIdentity) {
        if chance(2) { return end(identity, .signalled(11)) }
        if chance(2) { processes[identity]?.isHung = true }
        switch call {
        case .didEnterBackground, .didBecomeActive: if chance(40) { beginTask(identity) }
        case .handleEvents(let session):
            processes[identity]?.unhandled.append(session)
            // Some apps call the completion handler before they return.
            if !chance(3) { later(chance(20) ? 0...0.0001 : 0.001...5, .complete(identity, session: session)) }
        default: break
        }
    }

    mutating func beginTask(_ identity: ProcessIdentity) {
        guard let process = processes[identity], !process.isStopped, process.hasBegun else { return }
        let task = BackgroundTask(id: process.nextTask, name: "work", beganAt: now.uptime)
        processes[identity]?.nextTask += 1
        processes[identity]?.tasks.append(task)
        report(.beganTask(task), identity)
        if !chance(20) { later(0.001...(chance(50) ? 40 : 2), .endTask(identity, task.id)) }
    }

    private mutating func endTask(_ id: Int, _ identity: ProcessIdentity) {
        guard processes[identity]?.tasks.contains(where: { $0.id == id }) == true else { return }
        processes[identity]?.tasks.removeAll { $0.id == id }
        report(.endedTask(id), identity)
    }

    private mutating func complete(_ session: String, _ identity: ProcessIdentity) {
        guard let index = processes[identity]?.unhandled.firstIndex(of: session) else { return }
        processes[identity]?.unhandled.remove(at: index)
        report(.handled(session: session), identity)
    }

    /// From here on, it does what a well-behaved app does.
    mutating func behave(_ identity: ProcessIdentity) {
        guard let process = processes[identity] else { return }
        if process.isHung {
            processes[identity]?.isHung = false
            startWork(identity)
        }
        if process.isLeftToShell { bringToTerminal(identity) }
        for task in process.tasks { later(0.1...5, .endTask(identity, task.id)) }
        for number in process.runningTasks.keys.sorted() { later(0.1...5, .completeTask(identity, number)) }
        for session in process.unhandled { later(0.1...5, .complete(identity, session: session)) }
    }
}
