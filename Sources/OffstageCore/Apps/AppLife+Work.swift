// SPDX-License-Identifier: Apache-2.0

extension AppLife {
    /// A deferred task that the process runs or should run.
    struct Work: Sendable {
        var launch: TaskLaunch
        /// The time of the request; once its process was notified, the time of that.
        var since: Double
        /// Whether the process was told to start it.
        var isTold = false
        /// Whether its handler is known to have been entered.
        var hasEntered = false
        /// Whether its handler was entered during an earlier daemon, and the process has not confirmed since that it
        /// has it.
        var isDoubtful = false
        /// Whether it was found in a process, and the schedule has not asked for it: only its number is known.
        var isAdopted = false
        /// The end of its time; nil before it is notified, and for no limit.
        var until: Double?
        /// The end of the present wait: until the process can be notified, is connected again, or the schedule requests
        /// an adopted task.
        var waitsUntil: Double?
        /// Why it was told to end; nil while it was not.
        var expiry: TaskExpiry?
        /// Seconds after which its process was killed because of it.
        var killedAfter: Double?
        /// Whether a person has quit the app in the meantime.
        var isQuit = false

        init(_ launch: TaskLaunch, since: Double) {
            self.launch = launch
            self.since = since
        }

        /// Whether a person has cancelled it.
        var isCancelled: Bool { expiry == .cancelledByPerson }

        var number: UInt64 { launch.number }
        var identifier: String { launch.identifier }
    }

    /// The common end of all of a process's work.
    enum WorksEnd {
        case process(ProcessEnd)
        case spawnFailed(String, isForGood: Bool)
        /// The process was never started.
        case notLaunched
        /// It is not connected, and will not come back.
        case lost
    }

    func indexOfWork(_ number: UInt64) -> Int? { works.firstIndex { $0.number == number } }

    // MARK: What the schedule is told

    /// Its handler is being entered.
    mutating func enterWork(_ index: Int, _ turn: inout Turn) {
        guard !works[index].hasEntered else { return }
        works[index].hasEntered = true
        turn.act(.taskNotice(.entered(works[index].number)))
        if !works[index].isAdopted { turn.record(.taskBegan(works[index].identifier)) }
    }

    mutating func concludeWork(_ index: Int, _ ending: TaskEnding, _ turn: inout Turn) {
        let work = removeWork(index, turn)
        turn.act(.taskNotice(.ended(work.number, ending)))
        if !work.isAdopted { turn.record(.taskEnded(work.identifier, ending)) }
    }

    mutating func returnWork(_ index: Int, _ sentence: String, _ turn: inout Turn) {
        let work = removeWork(index, turn)
        turn.act(.taskNotice(.returned(work.number, sentence)))
    }

    /// The background tasks have the same time as the app's work; if that ends earlier, they are not late.
    mutating func removeWork(_ index: Int, _ turn: Turn) -> Work {
        let work = works.remove(at: index)
        if works.isEmpty { works = [] }
        let least = turn.uptime + policy.time.warning
        if let ends = run?.timeEnds, ends < least, case .ahead? = run?.expiry { run?.timeEnds = least }
        return work
    }

    /// The process has ended, or is about to.
    mutating func endWorks(_ end: WorksEnd, _ turn: inout Turn) {
        while let work = works.first {
            if work.isQuit, work.launch.kind == .continued {
                concludeWork(0, .quit, &turn)
            } else if let seconds = work.killedAfter, let expiry = work.expiry, work.hasEntered || work.isCancelled {
                concludeWork(0, .killed(expiry, seconds: seconds), &turn)
            } else {
                endWork(end, work, &turn)
            }
        }
    }

    /// The first one.
    private mutating func endWork(_ end: WorksEnd, _ work: Work, _ turn: inout Turn) {
        switch end {
        case .process(let end) where work.hasEntered: concludeWork(0, .appEnded(end), &turn)
        case .lost where work.hasEntered: concludeWork(0, .appEnded(.unknown), &turn)
        case .spawnFailed(let reason, isForGood: true): concludeWork(0, .launchFailed(reason), &turn)
        case .spawnFailed(let reason, isForGood: false): returnWork(0, reason, &turn)
        case .process(let end): returnWork(0, Self.sentence(end), &turn)
        case .notLaunched: returnWork(0, "Its app was told to end before it was launched.", &turn)
        case .lost: returnWork(0, "Its app's process is no longer connected to the daemon.", &turn)
        }
    }

    /// Of one that a daemon before has had run.
    static var unknownEnd: String { "The app's process that ran it has ended, and it is not known how." }

    private static func sentence(_ end: ProcessEnd) -> String {
        switch end {
        case .exited(let status): "Its app ended with status \(status) before the task's handler was called."
        case .signalled(let signal): "Its app was ended by signal \(signal) before the task's handler was called."
        case .unknown: "Its app ended before the task's handler was called."
        }
    }
}
