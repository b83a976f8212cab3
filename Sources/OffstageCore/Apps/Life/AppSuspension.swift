// SPDX-License-Identifier: Apache-2.0

/// The progress of an app from its last hold to its suspension. It is not suspended in the middle of the code that
/// ended that hold.
///
/// First comes a grace period, in which a new hold counts as if there had been no gap. Then the process is asked. It
/// reports whether code of the app still runs in a call of the library, and when that code has returned. The suspension
/// follows.
struct AppSuspension: Sendable {
    private enum Step: Sendable {
        /// Its last hold has just ended.
        case grace(until: Double)
        /// The process was asked whether it may be suspended; without a reply, it is suspended by then.
        case asked(Int, until: Double)
        /// The process has replied that code of the app still runs: it is suspended when that code has returned, or by
        /// then.
        case finishing(Int, until: Double)
    }

    /// Seconds for which code that was running when the last hold ended may continue: as long as
    /// `applicationDidEnterBackground` may.
    static let finishingTime = BackgroundTimeProfile.delegateTime
    /// Seconds for a first reply. A working library answers in milliseconds, but on an overloaded machine it may have
    /// to wait for its turn, and would be suspended in the middle of its code.
    private static let answerTime = 2.0

    /// Nil while something holds the app, or it is not in background.
    private var step: Step?
    /// How often the process was asked.
    private var asked = 0

    var isUnderWay: Bool { step != nil }

    var isInGrace: Bool { if case .grace = step { true } else { false } }

    /// When the next step is due.
    var due: Double? {
        switch step {
        case .grace(let until), .asked(_, let until), .finishing(_, let until): until
        case nil: nil
        }
    }

    /// The number of the question; nil before it was asked.
    private var number: Int? {
        switch step {
        case .asked(let number, _), .finishing(let number, _): number
        case .grace, nil: nil
        }
    }

    /// Nothing is left to do for the app: its grace begins, unless it has already begun.
    mutating func begin(_ turn: Turn) {
        if step == nil { step = .grace(until: turn.uptime + turn.policy.suspendGrace) }
    }

    /// Ends it: after a new hold, or the suspension.
    mutating func cancel() { step = nil }

    /// Its step is due.
    ///
    /// - Returns: why the process is suspended now; nil if it is not.
    mutating func isDue(_ turn: inout Turn) -> AppEntry.Cause? {
        switch step {
        case .grace:
            asked += 1
            step = .asked(asked, until: turn.uptime + Self.answerTime)
            turn.act(.send(.prepareToSuspend(asked)))
            return nil
        case .asked: return .nothingToDo
        case .finishing: return .codeTooLong(seconds: Self.finishingTime)
        case nil: return nil
        }
    }

    /// The process reports that it cannot be suspended yet.
    mutating func isFinishing(_ number: Int, _ turn: Turn) {
        guard case .asked(number, _) = step else { return }
        step = .finishing(number, until: turn.uptime + Self.finishingTime)
    }

    /// Whether a report that the app may be suspended answers the present question. There has been a hold since any
    /// earlier one.
    func isAnswered(by number: Int) -> Bool { self.number == number }
}
