// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// What holds a request, since when, and when time alone may let it go.
extension NaiveTaskSchedule {
    struct Answer {
        var cause: TaskReason.Cause
        /// Dates of the wall clock, any of which is right: after the clock was set, the recorded date differs from the
        /// one computed back from now.
        var since: [Double]
        var nextLook: Double?
    }

    /// The first thing that holds a pending request; nil if it may start. `later` is the tolerance for times.
    func whatHolds(_ request: Request, _ now: Time, later: Double = 0) -> TaskReason.Cause? {
        if let cause = appHolds(request, now, later: later) { return cause }
        if let begin = request.earliestBegin, begin > now.wall + later { return .earliestBegin }
        if request.isContinued {
            if crowd.continued >= crowd.continuedLimit {
                return .othersRun(running: crowd.continued, limit: crowd.continuedLimit)
            }
        } else {
            if let cause = conditionHolds(request) { return cause }
            let left = [left(of: request.app, at: now.uptime), left(of: request.app, at: now.uptime + later)]
            // The time left grows while nothing runs and shrinks while something does: at the edge, either is right.
            if (later < 0 ? left.min() : left.max()) ?? 0 <= 0 {
                return .budgetSpent(seconds: policy.dailySeconds)
            }
            if crowd.running >= crowd.limit { return .othersRun(running: crowd.running, limit: crowd.limit) }
        }
        if let until = request.retryUntil, until > now.uptime + later { return .retry(attempts: request.attempts) }
        return nil
    }

    private func appHolds(_ request: Request, _ now: Time, later: Double) -> TaskReason.Cause? {
        switch hold(of: request.app) {
        case .quit: return .appQuit
        case .ending: return .appEnding
        case .backedOff(let until, let crashes):
            return !request.isContinued && until > now.uptime + later ? .appBackedOff(crashes: crashes) : nil
        case nil: return nil
        }
    }

    private func isOfTheApp(_ cause: TaskReason.Cause) -> Bool {
        switch cause {
        case .appQuit, .appEnding, .appBackedOff: true
        default: false
        }
    }

    private func conditionHolds(_ request: Request) -> TaskReason.Cause? {
        let machine = condition
        if request.kind == .refresh {
            if refreshOff[request.app].last?.value == true { return .refreshOff }
        } else {
            if request.requiresNetwork, machine.network == .none { return .noNetwork }
            if request.requiresPower, !machine.hasExternalPower { return .noExternalPower }
        }
        if lows.last?.value == true {
            return .lowBattery(charge: machine.batteryCharge ?? 0, least: policy.leastCharge)
        }
        if machine.isDiskFull { return .diskFull }
        if request.kind != .refresh, machine.isBusy { return .machineBusy }
        return nil
    }

    /// Why a request waits; nil if nothing holds it and it is about to start.
    func why(_ number: UInt64, now moment: Moment) -> Answer? {
        guard let index = index(of: number) else { return nil }
        let request = requests[index]
        let now = Time(moment)
        switch request.phase {
        case .running: return Answer(cause: .running, since: dates(request.phaseSince, now))
        case .starting: return Answer(cause: .starting, since: dates(request.phaseSince, now))
        case .pending: break
        }
        guard let cause = whatHolds(request, now) else { return nil }
        var base = [request.submitted]
        if let uptime = request.submittedUptime { base.append(now.wall - (now.uptime - uptime)) }
        // It does not matter that it was begun in between.
        if let returned = request.returned { base += dates(returned, now) }
        if cause == .earliestBegin { return Answer(cause: cause, since: base, nextLook: request.earliestBegin) }
        if let begin = request.earliestBegin, !isOfTheApp(cause) { base = base.map { max($0, begin) } }
        guard let came = whenCame(cause, request, now) else { return Answer(cause: cause, since: base) }
        var since: [Double] = []
        for start in base {
            for date in dates(came, now) { since.append(max(start, date)) }
        }
        return Answer(cause: cause, since: since, nextLook: nextLook(cause, request, now))
    }

    private func dates(_ time: Time, _ now: Time) -> [Double] { [time.wall, now.wall - (now.uptime - time.uptime)] }

    private func nextLook(_ cause: TaskReason.Cause, _ request: Request, _ now: Time) -> Double? {
        switch cause {
        case .appBackedOff:
            guard case .backedOff(let until, _) = hold(of: request.app) else { return nil }
            return now.wall + until - now.uptime
        case .budgetSpent: return refill(of: request.app, now).map { now.wall + $0 - now.uptime }
        case .retry: return request.retryUntil.map { now.wall + $0 - now.uptime }
        case .running, .starting, .earliestBegin, .appQuit, .appEnding, .refreshOff, .noNetwork, .noExternalPower,
            .lowBattery, .diskFull, .machineBusy, .othersRun:
            return nil
        }
    }

    /// When an app has time again if its runs continue, by the boot-time clock; nil if never.
    func refill(of app: Int, _ now: Time) -> Double? {
        guard let piece = pieces[app].last else { return nil }
        // Once no run is charged, it only fills, and not before: time never comes back as fast as a run uses it.
        guard let idle = (piece.ends + [now.uptime]).max(), idle.isFinite, piece.daily > 0 else { return nil }
        return idle - piece.left(at: idle) / (piece.daily / 86_400)
    }

    // MARK: Scanning back

    private func whenCame(_ cause: TaskReason.Cause, _ request: Request, _ now: Time) -> Time? {
        switch cause {
        case .appQuit, .appEnding, .appBackedOff: holds[request.app].last?.at
        case .refreshOff: Self.start(of: refreshOff[request.app]) { $0 }
        case .noNetwork: Self.start(of: conditions) { $0.network == .none }
        case .noExternalPower: Self.start(of: conditions) { !$0.hasExternalPower }
        case .lowBattery: Self.start(of: lows) { $0 }
        case .diskFull: Self.start(of: conditions) { $0.isDiskFull }
        case .machineBusy: Self.start(of: conditions) { $0.isBusy }
        case .othersRun:
            request.isContinued
                ? Self.start(of: crowds) { $0.continued >= $0.continuedLimit }
                : Self.start(of: crowds) { $0.running >= $0.limit }
        case .budgetSpent: whenSpent(request.app, now)
        case .retry: request.returned
        case .running, .starting, .earliestBegin: nil
        }
    }

    /// The start of the last stretch of facts for which the condition holds.
    private static func start<Value>(of facts: [Fact<Value>], where isSo: (Value) -> Bool) -> Time? {
        var start: Time?
        for fact in facts.reversed() {
            guard isSo(fact.value) else { break }
            start = fact.at
        }
        return start
    }

    private func whenSpent(_ app: Int, _ now: Time) -> Time? {
        var end = now
        for piece in pieces[app].reversed() {
            // The time that was left then was used at once: by a setting, or by a run before it was known.
            if piece.left(at: end.uptime) > 0 { return end }
            if piece.left(at: piece.at.uptime) <= 0 {
                end = piece.at
                continue
            }
            // The app had time when this piece began, and none at its end.
            var (low, high) = (piece.at.uptime, end.uptime)
            for _ in 0..<50 {
                let middle = (low + high) / 2
                if piece.left(at: middle) > 0 { low = middle } else { high = middle }
            }
            end.wall -= end.uptime - high
            end.uptime = high
            return end
        }
        return end
    }
}
