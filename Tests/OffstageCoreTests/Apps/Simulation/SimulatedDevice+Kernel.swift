// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The kernel, which carries out orders late, twice or not at all, but never out of order.
extension SimulatedDevice {
    mutating func order(_ action: AppAction) {
        guard let process = life?.process, !chance(8) else { return }
        for _ in 0..<(chance(8) ? 2 : 1) {
            lastOrder = max(lastOrder, time + (chance(8) ? seconds(0.005...0.3) : seconds(0.00005...0.001)))
            agenda.add(.order(action, process), at: lastOrder)
        }
    }

    mutating func carryOut(_ action: AppAction, _ identity: ProcessIdentity) {
        guard let process = processes[identity] else { return }
        switch action {
        case .stop:
            if life?.state == .suspended, process.isAccepted, !process.isBehindHand,
                process.seen != .background || process.isToEnterBackground
            {
                fail("it is stopped before it knows that it is in background")
            }
            if life?.state == .suspended, isAtWork(process) { fail("it is stopped while a task is under way") }
            processes[identity]?.isStopped = true
        case .resume: resume(identity)
        case .resumeBehindTerminal:
            if process.isStopped, !process.isTerminalsOwn { resume(identity) }
        case .kill:
            if !condemned.contains(identity) { fail("process \(identity.number) is killed without a durable record") }
            end(identity, .signalled(9))
        default: break
        }
    }

    mutating func resume(_ identity: ProcessIdentity) {
        guard processes[identity]?.isStopped == true else { return }
        processes[identity]?.isStopped = false
        processes[identity]?.isLeftToShell = false
        let deferred = processes[identity]?.deferred ?? []
        processes[identity]?.deferred = []
        for happening in deferred { later(0.0001...0.002, happening) }
        if processes[identity]?.isInTerminal == true { later(0.0001...0.002, .noticeTerminal(identity)) }
        if processes[identity]?.isWorking == false { startWork(identity) }
    }

    mutating func look(at identity: ProcessIdentity, number: Int) {
        guard number == lookNumber, life?.process == identity, let process = processes[identity] else { return }
        tell(.observed(isStopped: process.isStopped))
    }

    mutating func spawn(_ cause: LaunchCause, token: String) {
        if chance(4) {
            nameUnborn(nil)
            return tell(.spawnFailed("There is no such program."))
        }
        let identity = makeProcess(token: token)
        onStage.insert(identity)
        nameUnborn(identity)
        tell(.spawned(identity))
    }

    /// A process whose record was written before the process existed is this one, or will never exist.
    private mutating func nameUnborn(_ identity: ProcessIdentity?) {
        if condemned.remove(Self.unborn) != nil, let identity { condemned.insert(identity) }
        if newlyCondemned.remove(Self.unborn) != nil, let identity { newlyCondemned.insert(identity) }
        if committing?.condemned.remove(Self.unborn) != nil, let identity { committing?.condemned.insert(identity) }
    }

    @discardableResult mutating func makeProcess(token: String?) -> ProcessIdentity {
        processCount += 1
        let identity = ProcessIdentity(number: 1000 + processCount, startedAt: UInt64(processCount))
        var process = SimulatedProcess(identity, token: token)
        if token == nil, Bool.random(using: &random) {
            process.isInTerminal = true
            process.isTerminalsOwn = !chance(20)
        }
        process.isPlain = chance(3)
        processes[identity] = process
        if !process.isPlain { later(0.01...0.1, .connect(identity)) }
        return identity
    }

    mutating func end(_ identity: ProcessIdentity, _ end: ProcessEnd) {
        guard let process = processes.removeValue(forKey: identity) else { return }
        onStage.remove(identity)
        if let link = process.link {
            agenda.add(.hangUp(identity, link: link), at: max(process.lastSent, time + seconds(0.0001...0.01)))
        }
        // Its earlier reports are read first.
        let noticed = time + seconds(chance(10) ? 0.05...0.5 : 0.0001...0.01)
        agenda.add(.ended(identity, process.token == nil ? .unknown : end), at: max(process.lastSent, noticed))
    }

    mutating func told(_ identity: ProcessIdentity, ended end: ProcessEnd) {
        guard life?.process == identity else { return }
        tell(.ended(end))
    }
}
