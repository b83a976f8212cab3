// SPDX-License-Identifier: Apache-2.0

/// From the last hold to the stop: an app is not stopped in the middle of the code that has ended its last hold.
///
/// First comes a grace, in which a new hold counts as if there had been no gap. Then the process is asked: it says that
/// code of the app still runs in a call of the library's, and when that has returned. The stop follows.
extension AppLife {
    /// How far an app without a hold is from its stop.
    enum Suspension: Sendable, Hashable {
        /// Nothing holds it since a moment ago.
        case grace(until: Double)
        /// The process was asked whether it may be stopped; one that says nothing is stopped by then.
        case asked(Int, until: Double)
        /// The process has said that code of the app still runs: it is stopped when that has returned, or by then.
        case finishing(Int, until: Double)

        var until: Double {
            switch self {
            case .grace(let until), .asked(_, let until), .finishing(_, let until): until
            }
        }

        /// Of the question that the process was asked; nil before it was.
        var number: Int? {
            switch self {
            case .grace: nil
            case .asked(let number, _), .finishing(let number, _): number
            }
        }
    }

    /// Seconds that code may go on which was running when the last hold ended: as long as
    /// `applicationDidEnterBackground` may.
    static let finishingTime = BackgroundTimeProfile.delegateTime
    /// Seconds that the process has to say anything. One whose library works answers in milliseconds, but on a machine with
    /// more to do than processors it may have to wait for its turn, and would be stopped in the middle of its code.
    static let answerTime = 2.0

    /// Nothing is left to do for the app: its grace begins, unless it has already.
    mutating func beginSuspension(_ turn: inout Turn) {
        // What nobody answers for cannot be asked.
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

    /// The process says that it cannot be stopped yet.
    mutating func isFinishing(_ number: Int, _ turn: inout Turn) {
        guard case .asked(number, _) = run?.suspension else { return }
        run?.suspension = .finishing(number, until: turn.uptime + Self.finishingTime)
    }

    /// The process says that it may be stopped. An answer to an earlier question does not count: it has had a hold since.
    mutating func isReadyToSuspend(_ number: Int, _ turn: inout Turn) {
        guard run?.suspension?.number == number else { return }
        stop(.nothingToDo, &turn)
    }

    /// A hold that came about since ends it.
    mutating func reviewSuspension() {
        guard let run, run.suspension != nil else { return }
        if run.phase != .running || run.isEnding || !mayStop { self.run?.suspension = nil }
    }
}
