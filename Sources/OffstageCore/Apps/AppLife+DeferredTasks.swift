// SPDX-License-Identifier: Apache-2.0

/// Deferred work that the app runs or should run.
extension AppLife {
    /// The numbers of the tasks that it runs or should run.
    package var tasksUnderWay: [UInt64] { works.map(\.number) }

    /// The reason why it cannot be launched or woken for deferred work.
    package func hold(at now: Moment) -> AppHold? {
        if registration.isQuit { return .quit }
        if isEnding { return .ending }
        guard run == nil || run?.phase == .stopped else { return nil }
        let pause = registration.backoff.pause(at: now, isStrict: false)
        return pause > 0 ? .backedOff(until: now.uptime + pause, crashes: registration.backoff.crashes) : nil
    }

    /// Whether it is not changing its state: suspended or about to be, in front or not running, or a program that never
    /// reports. Continued processing may take any time.
    package var isSettled: Bool {
        guard let run else { return true }
        if run.isEnding { return false }
        switch run.phase {
        case .front: return true
        case .stopped: return run.look == nil
        case .starting: return run.cause.isForeground && !run.isAttached
        case .running:
            // Only time passes until it is asked whether it may be suspended, so time may be advanced to that point.
            if case .grace = run.suspension { return true }
            return !works.isEmpty && works.allSatisfy { $0.hasEntered && $0.launch.kind == .continued }
        case .committing, .spawning, .leaving, .entering: return false
        }
    }

    // MARK: What the schedule wants

    mutating func startTask(_ launch: TaskLaunch, _ turn: inout Turn) {
        if let index = indexOfWork(launch.number) { return claim(index, launch, &turn) }
        if let done = run?.completions.first(where: { $0.number == launch.number }) {
            return turn.act(.taskNotice(.ended(launch.number, .completed(success: done.success))))
        }
        if let reason = reasonNotToStart(turn) {
            return turn.act(.taskNotice(.returned(launch.number, reason)))
        }
        var work = Work(launch, since: turn.uptime)
        work.waitsUntil = turn.uptime + BackgroundTimeProfile.launchTime
        works.append(work)
        runInBackground(.task(launch.identifier), &turn)
    }

    /// An earlier daemon started it, in the present process or in one that has ended.
    mutating func resumeTask(_ launch: TaskLaunch, _ turn: inout Turn) {
        if let index = indexOfWork(launch.number) { return claim(index, launch, &turn) }
        if let done = run?.completions.first(where: { $0.number == launch.number }) {
            return turn.act(.taskNotice(.ended(launch.number, .completed(success: done.success))))
        }
        guard process != nil, !isAttached else {
            return turn.act(.taskNotice(.returned(launch.number, Self.unknownEnd)))
        }
        var work = Work(launch, since: turn.uptime)
        work.isTold = true
        work.hasEntered = true
        work.isDoubtful = true
        work.waitsUntil = turn.uptime + Self.returnTime
        works.append(work)
        // It sends no report while it is stopped.
        if run?.phase == .stopped, reasonNotToStart(turn) == nil { runInBackground(.task(launch.identifier), &turn) }
    }

    /// Launches or wakes the app for a task; does nothing if it runs, or may not run.
    mutating func launchForTask(_ identifier: String, _ turn: inout Turn) {
        if reasonNotToStart(turn) == nil { runInBackground(.task(identifier), &turn) }
    }

    private mutating func runInBackground(_ cause: LaunchCause, _ turn: inout Turn) {
        switch run?.phase {
        case nil: turn.launches = turn.launches ?? cause
        case .stopped:
            turn.record(.woken(cause))
            wake(.launched(cause), &turn)
        case .committing, .spawning, .starting, .front, .leaving, .entering, .running: break
        }
    }

    private func reasonNotToStart(_ turn: Turn) -> String? {
        switch hold(at: turn.now) {
        case nil: nil
        case .quit: "A person has quit its app."
        case .ending: "Its app's process was being ended."
        case .backedOff(_, crashes: 1): "Its app has just ended too early."
        case .backedOff(_, let crashes): "Its app ended too early \(crashes) times in a row."
        }
    }

    /// The schedule requests a task that is already under way: a task found in a process is now known.
    private mutating func claim(_ index: Int, _ launch: TaskLaunch, _ turn: inout Turn) {
        guard works[index].isAdopted else { return }
        let before = backgroundEnds
        works[index].launch = launch
        works[index].isAdopted = false
        if isAttached { works[index].waitsUntil = nil }
        works[index].until = launch.seconds.map { turn.uptime + $0 }
        // The schedule may not know.
        if works[index].hasEntered { turn.act(.taskNotice(.entered(launch.number))) }
        tellOfTime(unless: before, &turn)
    }

    mutating func expireTask(_ number: UInt64, _ expiry: TaskExpiry, _ turn: inout Turn) {
        guard let index = indexOfWork(number), works[index].expiry == nil else { return }
        guard works[index].isTold else {
            concludeUnbegun(index, expiry, &turn)
            return settle(&turn)
        }
        guard !isEnding else { return }
        expire(index, expiry, until: turn.uptime + endingTime, &turn)
    }

    /// It has to end before its handler was entered: it has not run, and comes back unless a person has cancelled it.
    mutating func concludeUnbegun(_ index: Int, _ expiry: TaskExpiry, _ turn: inout Turn) {
        if expiry == .cancelledByPerson {
            concludeWork(index, .expired(expiry, success: false), &turn)
        } else {
            returnWork(index, "It was told to end before it had begun, since \(expiry.summary).", &turn)
        }
    }

    /// Notifies the process; the task has to be completed by `limit`, or by the end of its time if that is earlier.
    mutating func expire(_ index: Int, _ expiry: TaskExpiry, until limit: Double, _ turn: inout Turn) {
        let before = backgroundEnds
        works[index].expiry = expiry
        works[index].until = works[index].until.map { min($0, limit) } ?? limit
        turn.act(.tell(.expireTask(works[index].number, expiry)))
        if !works[index].isAdopted { turn.record(.taskExpiring(works[index].identifier, expiry)) }
        tellOfTime(unless: before, &turn)
    }

    // MARK: What the process is told

    /// Sends the tasks that it has not received yet, as soon as `didFinishLaunching` has returned.
    mutating func tellOfWorks(_ turn: inout Turn) {
        guard let run, run.isAttached, !run.isEnding, works.contains(where: { !$0.isTold }) else { return }
        switch run.phase {
        case .front, .entering, .running: break
        case .committing, .spawning, .starting, .leaving, .stopped: return
        }
        let before = backgroundEnds
        for index in works.indices where !works[index].isTold {
            let launch = works[index].launch
            works[index].isTold = true
            works[index].since = turn.uptime
            works[index].waitsUntil = nil
            works[index].until = launch.seconds.map { turn.uptime + $0 }
            turn.act(.tell(.startTask(launch, timeEnds: works[index].until)))
            // It has missed that as well.
            guard let expiry = works[index].expiry else { continue }
            expire(index, expiry, until: turn.uptime + endingTime, &turn)
        }
        tellOfTime(unless: before, &turn)
    }

    /// The end of the time of all its background tasks; nil in front.
    var backgroundEnds: Double? {
        run?.timeEnds.map { ends in works.reduce(ends) { max($0, $1.until ?? $0) } }
    }

    private mutating func tellOfTime(unless before: Double?, _ turn: inout Turn) {
        guard let run, run.isAttached, !run.isEnding, let ends = backgroundEnds, ends != before else { return }
        switch run.phase {
        case .entering, .running: turn.act(.tell(.backgroundTime(ends: ends)))
        case .committing, .spawning, .starting, .front, .leaving, .stopped: break
        }
    }

    // MARK: What the process says

    /// Always accepted, because it counts if the process ends.
    mutating func tookUpTask(_ number: UInt64, _ turn: inout Turn) {
        if let index = indexOfWork(number) { enterWork(index, &turn) }
    }

    mutating func completedTask(_ completion: TaskCompletion, _ turn: inout Turn) {
        guard let index = indexOfWork(completion.number) else { return }
        // A later request for it gets this result.
        if works[index].isAdopted { run?.completions.append(completion) }
        if !works[index].hasEntered, let expiry = works[index].expiry {
            // Nobody has completed it: its call was removed from the queue.
            let before = backgroundEnds
            concludeUnbegun(index, expiry, &turn)
            settle(&turn)
            return tellOfTime(unless: before, &turn)
        }
        endTask(index, ending(of: works[index], success: completion.success), &turn)
    }

    mutating func unclaimedTask(_ number: UInt64, _ turn: inout Turn) {
        if let index = indexOfWork(number) { endTask(index, .noHandler, &turn) }
    }

    /// Its app was busy. Such a report about an entered task is not trusted.
    mutating func leftOutTask(_ number: UInt64, _ turn: inout Turn) {
        guard let index = indexOfWork(number), !works[index].hasEntered else { return }
        let before = backgroundEnds
        concludeUnbegun(index, works[index].expiry ?? .timeOver, &turn)
        settle(&turn)
        tellOfTime(unless: before, &turn)
    }

    mutating func progressed(_ number: UInt64, _ progress: TaskProgress, _ turn: inout Turn) {
        if indexOfWork(number) != nil { turn.act(.taskNotice(.progress(number, progress))) }
    }

    private mutating func endTask(_ index: Int, _ ending: TaskEnding, _ turn: inout Turn) {
        let before = backgroundEnds
        concludeWork(index, ending, &turn)
        settle(&turn)
        tellOfTime(unless: before, &turn)
    }

    private func ending(of work: Work, success: Bool) -> TaskEnding {
        work.expiry.map { .expired($0, success: success) } ?? .completed(success: success)
    }

    // MARK: Connections

    /// Compares its work with that of the process, which is connected again.
    mutating func compareWorks(with view: StageView, _ turn: inout Turn) {
        run?.completions = view.completedTasks
        for completion in view.completedTasks {
            guard let index = indexOfWork(completion.number) else { continue }
            concludeWork(index, ending(of: works[index], success: completion.success), &turn)
        }
        for number in tasksUnderWay {
            guard let index = indexOfWork(number) else { continue }
            if let hasEntered = view.runningTasks[number] {
                hasFound(index, hasEntered: hasEntered, &turn)
            } else if works[index].isDoubtful {
                // It is not the process that entered it.
                returnWork(index, Self.unknownEnd, &turn)
            } else if works[index].hasEntered {
                // In this process, which completed it so long ago that it no longer remembers it.
                concludeWork(index, ending(of: works[index], success: false), &turn)
            } else if let expiry = works[index].expiry {
                concludeUnbegun(index, expiry, &turn)
            } else {
                works[index].isTold = false
                works[index].waitsUntil = turn.uptime + BackgroundTimeProfile.launchTime
            }
        }
        for (number, hasEntered) in view.runningTasks.sorted(by: { $0.key < $1.key }) where indexOfWork(number) == nil {
            let launch = TaskLaunch(number: number, identifier: "", kind: .processing, seconds: nil)
            var work = Work(launch, since: turn.uptime)
            work.isAdopted = true
            work.isTold = true
            work.hasEntered = hasEntered
            work.waitsUntil = turn.uptime + Self.returnTime
            works.append(work)
        }
    }

    private mutating func hasFound(_ index: Int, hasEntered: Bool, _ turn: inout Turn) {
        if !works[index].isTold || works[index].isDoubtful {
            works[index].isTold = true
            works[index].isDoubtful = false
            works[index].since = turn.uptime
            let seconds = works[index].expiry == nil ? works[index].launch.seconds : endingTime
            works[index].until = seconds.map { turn.uptime + $0 }
        }
        works[index].waitsUntil = works[index].isAdopted ? turn.uptime + Self.returnTime : nil
        if hasEntered { enterWork(index, &turn) }
        guard !isEnding, let expiry = works[index].expiry else { return }
        // It may receive that only now.
        let least = turn.uptime + warning(of: works[index])
        works[index].until = works[index].until.map { max($0, least) }
        turn.act(.tell(.expireTask(works[index].number, expiry)))
    }

    /// The connection is lost: the process's work is waited for as long as the connection may take to come back.
    mutating func worksLostConnection(_ turn: Turn) {
        for index in works.indices where works[index].isTold { works[index].waitsUntil = turn.uptime + Self.returnTime }
    }

    /// Seconds for the completion of a task that ends for another reason than its time.
    private var endingTime: Double { max(policy.time.warning, Self.leastWarning) }
    private static let leastWarning = 5.0
}
