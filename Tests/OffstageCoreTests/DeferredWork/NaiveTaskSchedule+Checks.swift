// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The rules that a schedule's decisions must obey. Each check returns what is wrong, or nil.
extension NaiveTaskSchedule {
    /// The tolerance between two ways to compute the same time, in seconds.
    static let slack = 0.002

    /// Checks a start, before it is recorded.
    func problem(starting number: UInt64, now moment: Moment) -> String? {
        let now = Time(moment)
        guard let index = index(of: number) else { return "it starts \(number), which it does not know" }
        let request = requests[index]
        guard request.phase == .pending else { return "it starts \(number), which is \(request.phase)" }
        if forced == number { return nil }
        if let cause = whatHolds(request, now, later: Self.slack) { return "it starts \(number) though \(cause)" }
        return request.isContinued ? nil : problem(preferring: request, now)
    }

    private func problem(preferring chosen: Request, _ now: Time) -> String? {
        let left = left(of: chosen.app, at: now.uptime)
        for index in requests.indices where requests[index].phase == .pending && !requests[index].isContinued {
            let other = requests[index]
            guard other.number != chosen.number, whatHolds(other, now, later: -Self.slack) == nil else { continue }
            let others = self.left(of: other.app, at: now.uptime)
            if other.app == chosen.app || abs(others - left) < 1e-9 {
                let (mine, theirs) = (chosen.due, other.due)
                if (theirs, other.number) < (mine, chosen.number) {
                    return "it starts \(chosen.number), due at \(mine), before \(other.number), due at \(theirs)"
                }
            } else if others > left + Self.slack {
                return "it starts \(chosen.number), whose app has \(left) s, before \(other.number), with \(others) s"
            }
        }
        return nil
    }

    mutating func problem(expiring number: UInt64, _ expiry: TaskExpiry) -> String? {
        guard let index = index(of: number) else { return "it expires \(number), which it does not know" }
        let request = requests[index]
        guard request.phase != .pending else { return "it expires \(number), which is pending" }
        guard !request.isExpired else { return "it expires \(number) twice" }
        requests[index].isExpired = true
        switch expiry {
        case .machineBusy:
            if !request.kind.needsIdleMachine || !condition.isBusy { return "it expires \(number) for no load" }
        case .powerLost:
            if !request.requiresPower || condition.hasExternalPower { return "it expires \(number) for no power" }
        case .timeOver, .memoryPressure, .cancelledByPerson, .simulated: return "it expires \(number) for \(expiry)"
        }
        return nil
    }

    /// Checks the state after everything that an event caused is recorded.
    mutating func problem(after event: TaskScheduleEvent, now moment: Moment) -> String? {
        let now = Time(moment)
        if case .policy = event { for index in requests.indices { requests[index].crowdedOutSince = nil } }
        next = nil
        for index in requests.indices {
            if requests[index].phase == .pending {
                if let problem = problem(leaving: index, now) { return problem }
            } else if let problem = problem(letting: index) {
                return problem
            }
        }
        return nil
    }

    private mutating func problem(leaving index: Int, _ now: Time) -> String? {
        let request = requests[index]
        switch whatHolds(request, now, later: -Self.slack) {
        case nil: return "\(request.number) could start, and does not"
        case .earliestBegin, .appBackedOff, .budgetSpent, .retry:
            requests[index].crowdedOutSince = nil
            if let uptime = start(of: request, now), uptime < next?.uptime ?? .infinity {
                next = (uptime, request.number)
            }
        case .othersRun:
            let since = request.crowdedOutSince ?? now.uptime
            requests[index].crowdedOutSince = since
            if now.uptime - since > patience { return "\(request.number) starves since \(now.uptime - since) s" }
        default: requests[index].crowdedOutSince = nil
        }
        return nil
    }

    private func problem(letting index: Int) -> String? {
        let request = requests[index]
        guard request.phase == .running, !request.isExpired, !request.isForced, request.kind.needsIdleMachine else {
            return nil
        }
        if condition.isBusy { return "\(request.number) runs on though the machine is busy" }
        if request.requiresPower, !condition.hasExternalPower {
            return "\(request.number) runs on though it has no power"
        }
        return nil
    }

    /// While the machine slept, nothing could have its turn.
    mutating func slept(_ gap: Double) {
        for index in requests.indices { requests[index].crowdedOutSince? += gap }
    }

    /// Seconds after which a request held only by other runs must have had its turn. All places are always taken, by
    /// apps that each had at least as much time left as this one. An app may take its day's time, the time that it
    /// regains meanwhile, and one more run in each place.
    private var patience: Double {
        let places = Double(max(1, policy.runningLimit))
        let rate = policy.dailySeconds / 86_400
        let longest = max(policy.processingSeconds, policy.refreshSeconds) + 60
        let count = Double(apps.count)
        guard places > count * rate else { return .infinity }
        return count * (policy.dailySeconds + places * longest) / (places - count * rate) + longest
    }

    /// When, by the boot-time clock, the next request would start if only time passed.
    func nextStart(now moment: Moment) -> (uptime: Double, number: UInt64)? {
        let now = Time(moment)
        var best: (uptime: Double, number: UInt64)?
        for index in requests.indices where requests[index].phase == .pending {
            guard let uptime = start(of: requests[index], now) else { continue }
            if uptime < best?.uptime ?? .infinity { best = (uptime, requests[index].number) }
        }
        return best
    }

    private func start(of request: Request, _ now: Time) -> Double? {
        var uptime = now.uptime
        if let begin = request.earliestBegin { uptime = max(uptime, now.uptime + begin - now.wall) }
        if case .backedOff(let until, _) = hold(of: request.app), !request.isContinued { uptime = max(uptime, until) }
        if let until = request.retryUntil { uptime = max(uptime, until) }
        if !request.isContinued, left(of: request.app, at: uptime) <= 0 {
            guard let refill = refill(of: request.app, now) else { return nil }
            uptime = max(uptime, refill + Self.slack)
        }
        let then = Time(wall: now.wall + uptime - now.uptime, uptime: uptime)
        return whatHolds(request, then, later: Self.slack) == nil ? uptime : nil
    }
}
