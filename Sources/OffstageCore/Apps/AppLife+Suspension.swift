// SPDX-License-Identifier: Apache-2.0

/// From the last hold to the suspension: an app is not suspended in the middle of the code that ended its last hold.
///
/// First comes a grace period, in which a new hold counts as if there had been no gap. Then the process is asked: it
/// reports that code of the app still runs in a call of the library, and when that has returned. The suspension
/// follows.
extension AppLife {
    /// The progress of an app without a hold towards its suspension.
    enum Suspension: Sendable, Hashable {
        /// Its last hold has just ended.
        case grace(until: Double)
        /// The process was asked whether it may be suspended; without a reply, it is suspended by then.
        case asked(Int, until: Double)
        /// The process has replied that code of the app still runs: it is suspended when that has returned, or by then.
        case finishing(Int, until: Double)

        var until: Double {
            switch self {
            case .grace(let until), .asked(_, let until), .finishing(_, let until): until
            }
        }

        /// The number of the question; nil before it was asked.
        var number: Int? {
            switch self {
            case .grace: nil
            case .asked(let number, _), .finishing(let number, _): number
            }
        }
    }

    /// Seconds that code may continue that was running when the last hold ended: as long as
    /// `applicationDidEnterBackground` may.
    static let finishingTime = BackgroundTimeProfile.delegateTime
    /// Seconds for a first reply. A working library answers in milliseconds, but on an overloaded machine it may have
    /// to wait for its turn, and would be suspended in the middle of its code.
    static let answerTime = 2.0

    /// Nothing is left to do for the app: its grace begins, unless it has already begun.
    mutating func beginSuspension(_ turn: inout Turn) {
        // Without a connection it cannot be asked.
        guard let run, run.isAttached else { return stop(.nothingToDo, &turn) }
        if run.suspension == nil { self.run?.suspension = .grace(until: turn.uptime + policy.suspendGrace) }
        if policy.suspendGrace <= 0, isDue(self.run?.suspension?.until, turn) { suspensionIsDue(&turn) }
    }

    mutating func suspensionIsDue(_ turn: inout Turn) {
        switch run?.suspension {
        case .grace:
            guard var run else { return }
            run.asked += 1
            run.suspension = .asked(run.asked, until: turn.uptime + Self.answerTime)
            turn.act(.tell(.prepareToSuspend(run.asked)))
            self.run = run
        case .asked: stop(.nothingToDo, &turn)
        case .finishing: stop(.codeTooLong(seconds: Self.finishingTime), &turn)
        case nil: break
        }
    }

    /// The process reports that it cannot be suspended yet.
    mutating func isFinishing(_ number: Int, _ turn: inout Turn) {
        guard case .asked(number, _) = run?.suspension else { return }
        run?.suspension = .finishing(number, until: turn.uptime + Self.finishingTime)
    }

    /// The process reports that it may be suspended. An answer to an earlier question does not count, because there has
    /// been a hold since.
    mutating func isReadyToSuspend(_ number: Int, _ turn: inout Turn) {
        guard run?.suspension?.number == number else { return }
        stop(.nothingToDo, &turn)
    }

    /// A new hold ends it.
    mutating func reviewSuspension() {
        guard let run, run.suspension != nil else { return }
        if run.phase != .running || run.isEnding || !mayStop { self.run?.suspension = nil }
    }
}
