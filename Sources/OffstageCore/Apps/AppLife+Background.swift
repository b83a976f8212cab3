// SPDX-License-Identifier: Apache-2.0

/// Entering the background, having time there, being suspended, and returning to the front.
extension AppLife {
    /// From the front to the background.
    mutating func goBehind(_ cause: AppEntry.Cause, _ turn: inout Turn) {
        setStage(isInForeground: false, &turn)
        holdBackNeeds(turn)
        enterBackground(&turn)
        turn.act(.setPriority(isBackground: true))
        move(to: .background, cause, &turn)
    }

    /// A new budget begins, and the app is notified.
    mutating func enterBackground(_ turn: inout Turn) {
        guard var run else { return }
        let ends = turn.uptime + policy.time.taskTime
        run.beginBackground(timeEnds: ends)
        run.phase = .entering
        run.phaseEnds = turn.uptime + BackgroundTimeProfile.delegateTime
        for index in run.handling.indices {
            run.handling[index].until = turn.uptime + BackgroundTimeProfile.eventTime
        }
        if run.isAttached {
            run.backgroundAnswers += 1
            turn.act(.tell(.enterBackground(timeEnds: works.reduce(ends) { max($0, $1.until ?? $0) })))
        } else {
            run.returnsBy = turn.uptime + Self.returnTime
        }
        self.run = run
    }

    mutating func comeToFront(_ cause: AppEntry.Cause, _ turn: inout Turn) {
        guard var run else { return }
        if run.phase == .stopped { resume(&turn) }
        if run.phase == .leaving, cause != .terminal { resumeBehindTerminal(&turn) }
        run.look = self.run?.look
        run.unheard = []
        run.phase = .front
        run.phaseEnds = nil
        run.returnsBy = nil
        run.timeEnds = nil
        self.run = run
        if run.isAttached { turn.act(.tell(.enterForeground)) }
        turn.act(.setPriority(isBackground: false))
        turn.act(.deliverEvents(session: nil))
        move(to: .inactive, cause, &turn)
        setStage(isInForeground: true, &turn)
        forgive(&turn)
    }

    /// A suspended app runs in background: for its sessions, or because a person wants it.
    mutating func wake(_ cause: AppEntry.Cause, _ turn: inout Turn) {
        resume(&turn)
        enterBackground(&turn)
        move(to: .background, cause, &turn)
        tellAgain()
        if isAttached { tellOfNeeds(&turn) }
    }

    /// Suspends the app if nothing is left to do; otherwise makes sure that it works.
    mutating func settle(_ turn: inout Turn) {
        guard let run, run.phase == .running, !run.isEnding else { return }
        if run.isAttached { tellOfNeeds(&turn) }
        guard mayStop, !owesStage else { return }
        beginSuspension(&turn)
    }

    /// Whether nothing holds it: neither a background task, a session's events, deferred work nor a lost connection.
    var mayStop: Bool {
        guard let run, works.isEmpty else { return false }
        guard run.isAttached else { return run.returnsBy == nil }
        if case .called = run.expiry { return false }
        return !run.hasCountedTasks && run.handling.isEmpty
    }

    mutating func stop(_ cause: AppEntry.Cause, _ turn: inout Turn) {
        stopAgain(&turn)
        run?.suspension = nil
        run?.phase = .stopped
        run?.phaseEnds = nil
        run?.slim()
        move(to: .suspended, cause, &turn)
        guard isAttached, registration.backoff.crashes > 0 else { return }
        registration.backoff.wentWell()
        turn.persists = true
    }

    func isDue(_ time: Double?, _ turn: Turn) -> Bool { time.map { $0 <= turn.uptime } ?? false }
}

/// Checks that the kernel has carried out a request.
extension AppLife {
    private static let firstLook = 0.002
    private static let longestLook = 1.0
    /// Seconds after which a requested observation is overdue.
    private static let lookPatience = 0.25
    /// Seconds until the first look at a process that has stopped itself, and the longest time for its shell.
    private static let shellLook = 1.0
    private static let longestShellLook = 8.0

    mutating func resume(_ turn: inout Turn) {
        orderFirst(.resume, &turn)
    }

    /// A process that has stopped itself continues when its shell has noticed that.
    mutating func resumeBehindTerminal(_ turn: inout Turn) {
        turn.act(.resumeBehindTerminal)
        look(after: Self.shellLook, &turn)
        run?.look?.isBehindTerminal = true
    }

    private mutating func look(after delay: Double, _ turn: inout Turn) {
        turn.act(.observe(after: delay))
        run?.look = Run.Look(delay: delay, due: turn.uptime + delay + Self.lookPatience)
    }

    mutating func observed(isStopped: Bool, _ turn: inout Turn) {
        guard let run, run.look != nil, run.kill == nil else { return }
        if isStopped == (run.phase == .stopped) {
            self.run?.look = nil
            if run.look?.isDoubtful == true { look(after: Self.longestLook, &turn) }
        } else {
            orderAgain(&turn)
        }
    }

    mutating func orderAgain(_ turn: inout Turn) {
        guard let run, let look = run.look else { return }
        let isLeftToShell = look.isBehindTerminal && run.phase != .stopped && look.delay < Self.longestShellLook
        if isLeftToShell {
            turn.act(.resumeBehindTerminal)
        } else {
            turn.act(run.phase == .stopped ? .stop : .resume)
        }
        self.look(after: isLeftToShell ? look.delay * 2 : min(look.delay * 2, Self.longestLook), &turn)
        self.run?.look?.isBehindTerminal = isLeftToShell
        self.run?.look?.isDoubtful = look.isDoubtful
    }

    /// It should be stopped, and has sent a report: somebody has continued it.
    mutating func stopAgain(_ turn: inout Turn) {
        orderFirst(.stop, &turn)
    }

    private mutating func orderFirst(_ action: AppAction, _ turn: inout Turn) {
        let isDoubtful = run?.look != nil
        turn.act(action)
        look(after: Self.firstLook, &turn)
        run?.look?.isDoubtful = isDoubtful
    }
}
