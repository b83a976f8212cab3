// SPDX-License-Identifier: Apache-2.0

/// The deferred tasks that an app's process runs or should run, in the order of the requests.
///
/// Each ends exactly once. When a task is removed, the schedule is notified of how it ended, or that it is returned.
struct TasksUnderWay: Sendable {
    /// The common end of all of a process's tasks.
    enum End {
        case process(ProcessEnd)
        case spawnFailed(String, isForGood: Bool)
        /// The process was never started.
        case notLaunched
        /// It is not connected, and will not come back.
        case lost
    }

    private(set) var all: [TaskUnderWay] = []
    /// The tasks that the process had completed when it connected last.
    private var completions: [TaskCompletion] = []

    var isEmpty: Bool { all.isEmpty }

    var numbers: [UInt64] { all.map(\.number) }

    /// Whether the process has not been notified of some task.
    var hasUntold: Bool { all.contains { !$0.isTold } }

    /// Whether some task's handler has not been entered.
    var hasUnentered: Bool { all.contains { !$0.hasEntered } }

    /// Whether there are only handlers that may take any time.
    var areAllOpenEnded: Bool {
        !all.isEmpty && all.allSatisfy { $0.hasEntered && $0.launch.kind == .continued }
    }

    /// The end of all time in background, if the time of the background tasks ends at `ends`.
    func backgroundEnds(_ ends: Double) -> Double { all.reduce(ends) { max($0, $1.until ?? $0) } }

    func contains(_ number: UInt64) -> Bool { index(of: number) != nil }

    func index(of number: UInt64) -> Int? { all.firstIndex { $0.number == number } }

    // MARK: Requests of the schedule

    /// Handles the request for a task that is under way, or that the process has completed.
    ///
    /// - Returns: false if it is neither.
    mutating func claim(_ launch: TaskLaunch, isAttached: Bool, _ turn: inout Turn) -> Bool {
        if let index = index(of: launch.number) {
            claim(index, launch, isAttached: isAttached, &turn)
            return true
        }
        guard let done = completions.first(where: { $0.number == launch.number }) else { return false }
        turn.act(.taskNotice(.ended(launch.number, .completed(success: done.success))))
        return true
    }

    /// A task found in a process is now known.
    private mutating func claim(_ index: Int, _ launch: TaskLaunch, isAttached: Bool, _ turn: inout Turn) {
        guard all[index].isAdopted else { return }
        all[index].launch = launch
        all[index].isAdopted = false
        if isAttached { all[index].waitsUntil = nil }
        all[index].until = launch.seconds.map { turn.uptime + $0 }
        // The schedule may not know.
        if all[index].hasEntered { turn.act(.taskNotice(.entered(launch.number))) }
    }

    /// The process should run it as soon as it can be notified.
    mutating func add(_ launch: TaskLaunch, _ turn: Turn) {
        var task = TaskUnderWay(launch, since: turn.uptime)
        task.waitsUntil = turn.uptime + BackgroundTimeProfile.launchTime
        all.append(task)
    }

    /// An earlier daemon had the process enter its handler, and the process has not confirmed that yet.
    mutating func addDoubtful(_ launch: TaskLaunch, _ turn: Turn) {
        var task = TaskUnderWay(launch, since: turn.uptime)
        task.isTold = true
        task.hasEntered = true
        task.isDoubtful = true
        task.waitsUntil = turn.uptime + AppRun.returnTime
        all.append(task)
    }

    /// It must end before its handler was entered. It has not run, and is returned unless a person has cancelled it.
    mutating func concludeUnbegun(_ index: Int, _ expiry: TaskExpiry, _ turn: inout Turn) {
        if expiry == .cancelledByPerson {
            conclude(index, .expired(expiry, success: false), &turn)
        } else {
            giveBack(index, "It was told to end before it had begun, since \(expiry.summary).", &turn)
        }
    }

    /// Notifies the process. The task must be completed by `limit`, or by the end of its time if that is earlier.
    mutating func expire(_ index: Int, _ expiry: TaskExpiry, until limit: Double, _ turn: inout Turn) {
        all[index].expiry = expiry
        all[index].until = all[index].until.map { min($0, limit) } ?? limit
        turn.act(.send(.expireTask(all[index].number, expiry)))
        if !all[index].isAdopted { turn.record(.taskExpiring(all[index].identifier, expiry)) }
    }

    /// A person has quit the app.
    mutating func appWasQuit() { for index in all.indices { all[index].isQuit = true } }

    // MARK: Messages to and from the process

    /// Sends the tasks that the process has not received.
    mutating func send(_ turn: inout Turn) {
        for index in all.indices where !all[index].isTold {
            let launch = all[index].launch
            all[index].isTold = true
            all[index].since = turn.uptime
            all[index].waitsUntil = nil
            all[index].until = launch.seconds.map { turn.uptime + $0 }
            turn.act(.send(.startTask(launch, timeEnds: all[index].until)))
            // It has missed the expiry as well.
            guard let expiry = all[index].expiry else { continue }
            expire(index, expiry, until: turn.uptime + Self.endingTime(turn.policy), &turn)
        }
    }

    /// Its handler is being entered.
    mutating func enter(_ index: Int, _ turn: inout Turn) {
        guard !all[index].hasEntered else { return }
        all[index].hasEntered = true
        turn.act(.taskNotice(.entered(all[index].number)))
        if !all[index].isAdopted { turn.record(.taskBegan(all[index].identifier)) }
    }

    mutating func completed(_ index: Int, success: Bool, _ turn: inout Turn) {
        let task = all[index]
        // A later request for it gets this result.
        if task.isAdopted { completions.append(TaskCompletion(number: task.number, success: success)) }
        if !task.hasEntered, let expiry = task.expiry {
            // The app did not complete it: its call was removed from the queue.
            concludeUnbegun(index, expiry, &turn)
        } else {
            conclude(index, task.ending(success: success), &turn)
        }
    }

    /// The app was busy. Such a report about an entered task is not trusted.
    mutating func leftOut(_ index: Int, _ turn: inout Turn) {
        guard !all[index].hasEntered else { return }
        concludeUnbegun(index, all[index].expiry ?? .timeOver, &turn)
    }

    func progressed(_ number: UInt64, _ progress: TaskProgress, _ turn: inout Turn) {
        if contains(number) { turn.act(.taskNotice(.progress(number, progress))) }
    }

    // MARK: Reports to the schedule

    mutating func conclude(_ index: Int, _ ending: TaskEnding, _ turn: inout Turn) {
        let task = remove(index, &turn)
        turn.act(.taskNotice(.ended(task.number, ending)))
        if !task.isAdopted { turn.record(.taskEnded(task.identifier, ending)) }
    }

    /// It has not run, and may be requested again.
    mutating func giveBack(_ index: Int, _ sentence: String, _ turn: inout Turn) {
        let task = remove(index, &turn)
        turn.act(.taskNotice(.returned(task.number, sentence)))
    }

    /// No report is needed: it was never requested.
    mutating func forget(_ index: Int, _ turn: inout Turn) { _ = remove(index, &turn) }

    private mutating func remove(_ index: Int, _ turn: inout Turn) -> TaskUnderWay {
        let task = all.remove(at: index)
        if all.isEmpty { all = [] }
        turn.hasEndedWork = true
        return task
    }

    /// The process has ended, or is about to.
    mutating func end(_ end: End, _ turn: inout Turn) {
        while let task = all.first {
            if task.isQuit, task.launch.kind == .continued {
                conclude(0, .quit, &turn)
            } else if let seconds = task.killedAfter, let expiry = task.expiry, task.hasEntered || task.isCancelled {
                conclude(0, .killed(expiry, seconds: seconds), &turn)
            } else {
                endFirst(end, task, &turn)
            }
        }
        if case .lost = end { return }
        completions = []
    }

    private mutating func endFirst(_ end: End, _ task: TaskUnderWay, _ turn: inout Turn) {
        switch end {
        case .process(let end) where task.hasEntered: conclude(0, .appEnded(end), &turn)
        case .lost where task.hasEntered: conclude(0, .appEnded(.unknown), &turn)
        case .spawnFailed(let reason, isForGood: true): conclude(0, .launchFailed(reason), &turn)
        case .spawnFailed(let reason, isForGood: false): giveBack(0, reason, &turn)
        case .process(let end): giveBack(0, Self.sentence(end), &turn)
        case .notLaunched: giveBack(0, "Its app was told to end before it was launched.", &turn)
        case .lost: giveBack(0, Self.lostSentence, &turn)
        }
    }

    /// The end of a task that an earlier daemon started.
    static var unknownEnd: String { "The app's process that ran it has ended, and it is not known how." }
    static var lostSentence: String { "Its app's process is no longer connected to the daemon." }

    private static func sentence(_ end: ProcessEnd) -> String {
        switch end {
        case .exited(let status): "Its app ended with status \(status) before the task's handler was called."
        case .signalled(let signal): "Its app was ended by signal \(signal) before the task's handler was called."
        case .unknown: "Its app ended before the task's handler was called."
        }
    }

    // MARK: Connections

    /// Compares the tasks with those of the process, which is connected again.
    mutating func attached(_ view: StageView, isEnding: Bool, _ turn: inout Turn) {
        completions = view.completedTasks
        for completion in view.completedTasks {
            guard let index = index(of: completion.number) else { continue }
            conclude(index, all[index].ending(success: completion.success), &turn)
        }
        for number in numbers {
            guard let index = index(of: number) else { continue }
            if let hasEntered = view.runningTasks[number] {
                hasFound(index, hasEntered: hasEntered, isEnding: isEnding, &turn)
            } else {
                hasNotFound(index, &turn)
            }
        }
        let known = Set(numbers)
        for (number, hasEntered) in view.runningTasks.sorted(by: { $0.key < $1.key }) where !known.contains(number) {
            all.append(.adopted(number, hasEntered: hasEntered, turn))
        }
    }

    private mutating func hasFound(_ index: Int, hasEntered: Bool, isEnding: Bool, _ turn: inout Turn) {
        if !all[index].isTold || all[index].isDoubtful {
            all[index].isTold = true
            all[index].isDoubtful = false
            all[index].since = turn.uptime
            let seconds = all[index].expiry == nil ? all[index].launch.seconds : Self.endingTime(turn.policy)
            all[index].until = seconds.map { turn.uptime + $0 }
        }
        all[index].waitsUntil = all[index].isAdopted ? turn.uptime + AppRun.returnTime : nil
        if hasEntered { enter(index, &turn) }
        guard !isEnding, let expiry = all[index].expiry else { return }
        // It may receive the command only now.
        let least = turn.uptime + all[index].warning(turn.policy)
        all[index].until = all[index].until.map { max($0, least) }
        turn.act(.send(.expireTask(all[index].number, expiry)))
    }

    private mutating func hasNotFound(_ index: Int, _ turn: inout Turn) {
        let task = all[index]
        if task.isDoubtful {
            // Another process entered it.
            giveBack(index, Self.unknownEnd, &turn)
        } else if task.hasEntered {
            // It was entered in this process, which completed it so long ago that it no longer remembers.
            conclude(index, task.ending(success: false), &turn)
        } else if let expiry = task.expiry {
            concludeUnbegun(index, expiry, &turn)
        } else if task.isAdopted {
            forget(index, &turn)
        } else {
            all[index].isTold = false
            all[index].waitsUntil = turn.uptime + BackgroundTimeProfile.launchTime
        }
    }

    /// The connection is lost: waits for the tasks as long as the connection may take to come back.
    mutating func disconnected(_ turn: Turn) {
        for index in all.indices where all[index].isTold { all[index].waitsUntil = turn.uptime + AppRun.returnTime }
    }

    // MARK: Times

    func due(_ run: AppRun?, _ policy: AppLife.Policy) -> Double? { all.lazy.compactMap { $0.due(run, policy) }.min() }

    /// Something is due for a task.
    ///
    /// - Returns: a reason to kill the process; nil if there is none.
    mutating func isDue(_ index: Int, _ run: AppRun?, _ turn: inout Turn) -> AppEntry.KillReason? {
        let task = all[index]
        guard task.waitsUntil == nil else {
            waitIsOver(index, run, &turn)
            return nil
        }
        guard let expiry = task.expiry else {
            timeIsOver(index, &turn)
            return nil
        }
        guard run?.phase != .front else {
            leaveAlone(index, expiry, &turn)
            return nil
        }
        let seconds = turn.uptime - task.since
        all[index].killedAfter = seconds
        return .taskTooLong(identifier: task.identifier, seconds: seconds)
    }

    private mutating func timeIsOver(_ index: Int, _ turn: inout Turn) {
        let warning = all[index].warning(turn.policy)
        // If this is late, the handler still gets its full time.
        if let until = all[index].until, turn.uptime > until - warning / 2 { all[index].until = turn.uptime + warning }
        expire(index, .timeOver, until: .infinity, &turn)
    }

    /// In front, a person may have unsaved work: only the task ends.
    private mutating func leaveAlone(_ index: Int, _ expiry: TaskExpiry, _ turn: inout Turn) {
        if all[index].hasEntered {
            conclude(index, .expired(expiry, success: false), &turn)
        } else {
            concludeUnbegun(index, expiry, &turn)
        }
    }

    private mutating func waitIsOver(_ index: Int, _ run: AppRun?, _ turn: inout Turn) {
        let task = all[index]
        if task.isAdopted, run?.isAttached == true {
            forget(index, &turn)
        } else if task.hasEntered {
            conclude(index, .appEnded(.unknown), &turn)
        } else if task.isTold || run?.isAttached == false && run?.isBeingLaunched == false {
            giveBack(index, Self.lostSentence, &turn)
        } else {
            let seconds = Int(BackgroundTimeProfile.launchTime)
            giveBack(index, "Its app could not be notified within \(seconds) s.", &turn)
        }
    }

    /// Time during which the app did not run does not count against it.
    mutating func makeUp(for pause: Double) { for index in all.indices { all[index].makeUp(for: pause) } }

    /// Seconds for the completion of a task that ends for a reason other than its time.
    static func endingTime(_ policy: AppLife.Policy) -> Double { max(policy.time.warning, leastWarning) }
    private static let leastWarning = 5.0
}
