// SPDX-License-Identifier: Apache-2.0

/// When something is due for deferred work.
extension AppLife {
    var workDue: Double? { works.lazy.compactMap(dueTime).min() }

    private func dueTime(of work: Work) -> Double? {
        // A launch in background has a time of its own.
        if let waits = work.waitsUntil { return run?.isBeingLaunched == true && run?.phaseEnds != nil ? nil : waits }
        // A command that the process cannot have received does not count against it.
        guard isAttached, let until = work.until else { return nil }
        return work.expiry == nil ? until - warning(of: work) : until
    }

    /// Seconds before the end of its time when it is told to end.
    func warning(of work: Work) -> Double {
        min(policy.time.warning, work.launch.seconds.map { $0 / 6 } ?? policy.time.warning)
    }

    mutating func worksAreDue(_ turn: inout Turn) {
        for number in tasksUnderWay {
            guard let index = indexOfWork(number), isDue(dueTime(of: works[index]), turn) else { continue }
            if works[index].waitsUntil != nil {
                waitIsOver(index, &turn)
            } else if let expiry = works[index].expiry, run?.phase == .front {
                leaveAlone(index, expiry, &turn)
            } else if works[index].expiry == nil {
                timeIsOver(index, &turn)
            } else {
                let seconds = turn.uptime - works[index].since
                works[index].killedAfter = seconds
                return kill(.taskTooLong(identifier: works[index].identifier, seconds: seconds), &turn)
            }
        }
    }

    private mutating func timeIsOver(_ index: Int, _ turn: inout Turn) {
        let warning = warning(of: works[index])
        // If this is late, the handler still gets its full time.
        if let until = works[index].until, turn.uptime > until - warning / 2 {
            works[index].until = turn.uptime + warning
        }
        expire(index, .timeOver, until: .infinity, &turn)
    }

    /// In front, a person may have unsaved work: only the task ends.
    private mutating func leaveAlone(_ index: Int, _ expiry: TaskExpiry, _ turn: inout Turn) {
        if works[index].hasEntered {
            concludeWork(index, .expired(expiry, success: false), &turn)
        } else {
            concludeUnbegun(index, expiry, &turn)
        }
        settle(&turn)
    }

    private mutating func waitIsOver(_ index: Int, _ turn: inout Turn) {
        let work = works[index]
        if work.isAdopted, isAttached {
            // Nobody needs a report.
            _ = removeWork(index, turn)
        } else if work.hasEntered {
            concludeWork(index, .appEnded(.unknown), &turn)
        } else if work.isTold || run?.isAttached == false && run?.isBeingLaunched == false {
            returnWork(index, "Its app's process is no longer connected to the daemon.", &turn)
        } else {
            let seconds = Int(BackgroundTimeProfile.launchTime)
            returnWork(index, "Its app could not be notified within \(seconds) s.", &turn)
        }
        settle(&turn)
    }

    /// Time in which the app did not run does not count against its work.
    mutating func shiftWorks(by pause: Double) {
        for index in works.indices {
            works[index].since += pause
            works[index].until = works[index].until.map { $0 + pause }
            works[index].waitsUntil = works[index].waitsUntil.map { $0 + pause }
        }
    }
}
