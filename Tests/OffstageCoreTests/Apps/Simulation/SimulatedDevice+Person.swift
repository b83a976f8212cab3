// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What comes from outside: people, shells, servers, and death.
extension SimulatedDevice {
    mutating func whim() {
        later(chance(30) ? 0.0001...0.01 : chance(60) ? 0.01...1 : 1...60, .whim)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<7: tell(.launch(.person))
        case 7..<10: tell(.launch(.personInBackground))
        case 10..<22: tell(.foreground)
        case 22..<40: tell(.background)
        case 40..<43: tell(.quit(keepsTransfers: Bool.random(using: &random)))
        case 43..<45: tell(.terminate)
        case 45..<47: tell(.reclaim)
        case 47..<48: expireAnyTask()
        case 48..<49: tell(.memoryWarning)
        case 49..<56: submitTask()
        case 56..<66: sessionEnded(Self.sessions[Int.random(in: 0..<2, using: &random)])
        case 66..<71: makeProcess(token: nil)
        case 71..<75: killDaemon()
        default: disturbProcess()
        }
    }

    private mutating func disturbProcess() {
        let known = processes.keys.sorted { $0.startedAt < $1.startedAt }
        guard let identity = known.randomElement(using: &random), let process = processes[identity] else { return }
        switch Int.random(in: 0..<25, using: &random) {
        case 0: end(identity, .signalled(9))
        case 1: if !process.isStopped { end(identity, .exited(0)) }
        case 2: if !process.isStopped { end(identity, .exited(1)) }
        case 3: loseConnection(identity)
        case 4..<9: leaveTerminal(identity)
        case 9..<14: bringToTerminal(identity)
        case 14: if process.isInTerminal { resume(identity) }
        default: beginTask(identity)
        }
    }

    private mutating func loseConnection(_ identity: ProcessIdentity) {
        guard let process = processes[identity], let link = process.link, !process.isStopped else { return }
        let due = max(process.lastSent, time)
        processes[identity]?.lastSent = due
        agenda.add(.hangUp(identity, link: link), at: due)
    }

    /// Ctrl-Z.
    private mutating func leaveTerminal(_ identity: ProcessIdentity) {
        guard let process = processes[identity], process.isInTerminal, process.isTerminalsOwn, !process.isStopped,
            process.hasBegun
        else { return }
        report(.leftTerminal, identity)
        processes[identity]?.isStopped = true
        processes[identity]?.isLeftToShell = process.link == nil
        later(0.0005...0.02, .shellTakesTerminal(identity))
    }

    /// `fg`: bash sends no SIGCONT to a job that it believes is running.
    mutating func bringToTerminal(_ identity: ProcessIdentity) {
        guard let process = processes[identity], process.isInTerminal, !process.isTerminalsOwn else { return }
        processes[identity]?.isTerminalsOwn = true
        if process.isStopped { resume(identity) } else { later(0.001...0.2, .noticeTerminal(identity)) }
    }
}
