// SPDX-License-Identifier: Apache-2.0

/// Processes that connect, and processes that a new daemon finds.
extension AppLife {
    /// If this daemon launched it, `spawned` comes first.
    mutating func attached(_ identity: ProcessIdentity, _ view: StageView, _ turn: inout Turn) {
        guard let run = stage.run, run.phase != .committing else { return adopt(identity, view, &turn) }
        guard identity != turn.process else { return stage.attached(view, &turn) }
        guard run.ending.newcomer == nil else { return turn.act(.refuseSecondProcess(identity)) }
        if !run.ending.isUnderWay {
            switch run.phase {
            case .committing, .front: return turn.act(.refuseSecondProcess(identity))
            case .spawning, .starting:
                if run.cause.isForeground { return turn.act(.refuseSecondProcess(identity)) }
            case .leaving, .entering, .running, .stopped: break
            }
        }
        stage.run?.ending.newcomer = AppEnding.Newcomer(identity: identity, view: view)
        // A process that was asked to end keeps its time to do so.
        if !run.ending.isUnderWay { stage.kill(.replaced, &turn) }
    }

    /// The app's only process, not started by the daemon.
    private mutating func adopt(_ identity: ProcessIdentity, _ view: StageView, _ turn: inout Turn) {
        let isBehind = view.isInTerminal && view.isInFront == false
        turn.registration.process = AppRegistration.Process(identity: identity, bootID: turn.now.bootID, isChild: false)
        turn.registration.isQuit = false
        turn.registration.owesCancellation = false
        turn.registration.launchToken = nil
        turn.persists = true
        owesProcess = true
        stage.forgive(&turn)
        stage.setPlace(isInForeground: !isBehind, &turn)
        var run = AppRun(.starting, cause: isBehind ? .personInBackground : .person)
        if isBehind { run.limitLaunch(turn) }
        stage.begin(run, .launching)
        stage.attached(view, &turn)
    }

    /// The daemon has just started, and knows the process only from the store and the kernel.
    mutating func restored(isStopped: Bool?, _ turn: inout Turn) {
        if turn.registration.owesCancellation { turn.act(.cancelTransfers) }
        guard let process = turn.process, let isStopped else { return restoredWithout(&turn) }
        let isInForeground = turn.registration.isInForeground
        let cause = stage.run?.cause ?? (isInForeground ? .person : .personInBackground)
        let phase: AppRun.Phase =
            if turn.registration.launchToken != nil {
                .starting
            } else if isInForeground {
                .front
            } else {
                isStopped ? .stopped : .running
            }
        var run = AppRun(phase, cause: cause)
        let state: LifeState
        switch phase {
        case .starting:
            state = .launching
            if !cause.isForeground { run.limitLaunch(turn) }
        case .front: state = .inactive
        case .stopped: state = .suspended
        case .committing, .spawning, .leaving, .entering, .running:
            state = .background
            run.returnsBy = turn.uptime + AppRun.returnTime
        }
        stage.begin(run, state)
        turn.record(.found(process: process.number, state))
        if turn.registration.isQuit { return stage.kill(.quit, &turn) }
        if isStopped, phase != .stopped { stage.resume(&turn) }
        stage.meetNeeds(&turn)
    }

    private mutating func restoredWithout(_ turn: inout Turn) {
        stage.clear()
        let before = turn.registration
        let cause: LaunchCause = before.isInForeground ? .person : .personInBackground
        if before.process != nil { turn.record(.ended(.unknown)) }
        if before.process != nil || before.launchToken != nil { turn.persists = true }
        turn.registration.process = nil
        turn.registration.launchToken = nil
        stage.setPlace(isInForeground: false, &turn)
        if before.launchToken != nil, before.process == nil, !before.isQuit {
            turn.launches = cause
        } else {
            stage.meetNeeds(&turn)
        }
    }
}
