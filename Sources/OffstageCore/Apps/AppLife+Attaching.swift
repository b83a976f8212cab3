// SPDX-License-Identifier: Apache-2.0

/// Processes that connect, and those that a new daemon finds.
extension AppLife {
    /// If this daemon launched it, `spawned` comes first.
    mutating func attached(_ identity: ProcessIdentity, _ view: StageView, _ turn: inout Turn) {
        guard let run, run.phase != .committing else { return adopt(identity, view, &turn) }
        guard identity != process else { return reattach(view, &turn) }
        guard run.newcomer == nil else { return turn.act(.refuseSecondProcess(identity)) }
        if !run.isEnding {
            switch run.phase {
            case .committing, .front: return turn.act(.refuseSecondProcess(identity))
            case .spawning, .starting:
                if run.cause.isForeground { return turn.act(.refuseSecondProcess(identity)) }
            case .leaving, .entering, .running, .stopped: break
            }
        }
        self.run?.newcomer = Run.Newcomer(identity: identity, view: view)
        // A process that was told to end keeps its time for that.
        if !run.isEnding { kill(.replaced, &turn) }
    }

    /// The app's only process, started by somebody else.
    private mutating func adopt(_ identity: ProcessIdentity, _ view: StageView, _ turn: inout Turn) {
        let isBehind = view.isInTerminal && view.isInFront == false
        registration.process = AppRegistration.Process(identity: identity, bootID: turn.now.bootID, isChild: false)
        registration.isQuit = false
        registration.owesCancellation = false
        registration.launchToken = nil
        turn.persists = true
        owesProcess = true
        forgive(&turn)
        setStage(isInForeground: !isBehind, &turn)
        run = Run(.starting, cause: isBehind ? .personInBackground : .person)
        if isBehind { run?.phaseEnds = turn.uptime + BackgroundTimeProfile.launchTime }
        state = .launching
        reattach(view, &turn)
    }

    /// The app's process is connected, or connected again.
    private mutating func reattach(_ view: StageView, _ turn: inout Turn) {
        guard var run, let process else { return }
        run.isAttached = true
        if !registration.hasAttached {
            registration.hasAttached = true
            turn.persists = true
        }
        run.returnsBy = nil
        run.suspension = nil
        run.backgroundAnswers = 0
        run.isInTerminal = view.isInTerminal
        run.isSeen = view.isInFront
        run.tasks = view.tasks
        run.lapsed.removeAll { id in !view.tasks.contains { $0.id == id } }
        // Commands that it has not received are repeated; those that it has received have been handled.
        let rest = run.handling.filter { !view.unhandled.contains($0.session) }
        takeBackNeeds(rest.filter { !$0.isAnnounced && $0.endsBy == nil })
        run.handling = view.unhandled.map { session in
            run.handling.first { $0.session == session }
                ?? Run.Handling(session: session, until: turn.uptime + BackgroundTimeProfile.eventTime)
        }
        for var handled in rest where handled.isAnnounced || handled.endsBy != nil {
            handled.endsBy = handled.endsBy ?? min(handled.until, turn.uptime + Self.settlingTime)
            run.handling.append(handled)
        }
        // Events that it is handling need not be repeated.
        needs.removeAll { need in run.handling.contains { $0.session == need } }
        if registration.launchToken != nil {
            registration.launchToken = nil
            // Its tasks must not be cancelled for the earlier quit, even by the next daemon.
            if !registration.isQuit { registration.owesCancellation = false }
            turn.persists = true
        }
        if case .called = run.expiry, !run.hasCountedTasks { run.expiry = .returned }
        self.run = run
        turn.record(.attached(process: process.number))
        compareWorks(with: view, &turn)
        guard run.kill == nil else { return }
        if run.endsBy != nil { return turn.act(.tell(.terminate)) }
        if let isInFront = view.isToBeInFront, view.state != nil { setStage(isInForeground: isInFront, &turn) }
        guard let seen = view.state else { return attachedBeforeLaunch(&turn) }
        place(seen, view.timeEnds, &turn)
    }

    private mutating func attachedBeforeLaunch(_ turn: inout Turn) {
        guard let run else { return }
        // It cannot have been launched, whatever an earlier daemon assumed.
        if run.phase == .stopped { resume(&turn) }
        self.run?.phase = .starting
        if !run.cause.isForeground {
            if run.timeEnds == nil { self.run?.timeEnds = turn.uptime + policy.time.taskTime }
            if run.phase != .starting || run.phaseEnds == nil {
                self.run?.phaseEnds = turn.uptime + BackgroundTimeProfile.launchTime
            }
        }
        move(to: .launching, .app, &turn)
    }

    /// Leads a launched process to the app's intended state.
    private mutating func place(_ seen: LifeState, _ toldTime: Double?, _ turn: inout Turn) {
        guard let run else { return }
        if registration.isInForeground {
            guard seen == .active, run.phase != .stopped else { return comeToFront(.system, &turn) }
            self.run?.phase = .front
            self.run?.phaseEnds = nil
            self.run?.timeEnds = nil
            turn.act(.deliverEvents(session: nil))
            return move(to: .active, .app, &turn)
        }
        guard seen == .background else {
            return run.phase == .stopped ? wake(.system, &turn) : goBehind(.system, &turn)
        }
        switch run.phase {
        case .stopped:
            if run.hasCountedTasks || !run.handling.isEmpty || !works.isEmpty {
                resume(&turn)
            } else {
                return stopAgain(&turn)
            }
        case .committing, .spawning, .starting, .front, .leaving, .entering, .running: break
        }
        if run.timeEnds == nil {
            // An earlier daemon gave it its time: it keeps the rest, and enough for its handlers.
            let most = turn.uptime + policy.time.taskTime
            let ends = toldTime.map { min(max($0, turn.uptime + policy.time.warning), most) }
            self.run?.beginBackground(timeEnds: ends ?? most)
        }
        turn.act(.tell(.backgroundTime(ends: backgroundEnds)))
        if case .called = run.expiry { turn.act(.tell(.expire)) }
        self.run?.phase = .running
        self.run?.phaseEnds = nil
        move(to: .background, .app, &turn)
        settle(&turn)
    }

    /// The daemon has just started, and knows the process only from the store and the kernel.
    mutating func restored(isStopped: Bool?, _ turn: inout Turn) {
        if registration.owesCancellation { turn.act(.cancelTransfers) }
        guard let process = registration.process?.identity, let isStopped else { return restoredWithout(&turn) }
        let isInForeground = registration.isInForeground
        let cause = run?.cause ?? (isInForeground ? .person : .personInBackground)
        let phase: Run.Phase =
            if registration.launchToken != nil {
                .starting
            } else if isInForeground {
                .front
            } else {
                isStopped ? .stopped : .running
            }
        var run = Run(phase, cause: cause)
        switch phase {
        case .starting:
            state = .launching
            if !cause.isForeground { run.phaseEnds = turn.uptime + BackgroundTimeProfile.launchTime }
        case .front: state = .inactive
        case .stopped: state = .suspended
        case .committing, .spawning, .leaving, .entering, .running:
            state = .background
            run.returnsBy = turn.uptime + Self.returnTime
        }
        self.run = run
        turn.record(.found(process: process.number, state))
        if registration.isQuit { return kill(.quit, &turn) }
        if isStopped, phase != .stopped { resume(&turn) }
        meetNeeds(&turn)
    }

    private mutating func restoredWithout(_ turn: inout Turn) {
        run = nil
        state = .terminated
        let wasWanted = registration.launchToken != nil && registration.process == nil && !registration.isQuit
        let cause: LaunchCause = registration.isInForeground ? .person : .personInBackground
        if registration.process != nil { turn.record(.ended(.unknown)) }
        if registration.process != nil || registration.launchToken != nil { turn.persists = true }
        registration.process = nil
        registration.launchToken = nil
        setStage(isInForeground: false, &turn)
        if wasWanted {
            turn.launches = cause
        } else {
            meetNeeds(&turn)
        }
    }
}
