// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// A second reading of the rule of deferred work, as plain as possible: it records events and scans the record. It
/// decides nothing; it reports what the schedule should have decided, and why not.
struct NaiveTaskSchedule {
    /// Both clocks, in seconds: since 1970, and on the boot-time clock.
    struct Time {
        var wall: Double
        var uptime: Double

        init(wall: Double, uptime: Double) {
            self.wall = wall
            self.uptime = uptime
        }

        init(_ moment: Moment) {
            wall = moment.wall.timeIntervalSince1970
            uptime = moment.uptime
        }
    }

    enum Phase { case pending, starting, running }

    struct Request {
        var number: UInt64
        var app: Int
        var identifier: String
        var kind: TaskRequest.Kind
        var requiresNetwork: Bool
        var requiresPower: Bool
        /// Wall clock; nil without an earliest date, or with one that had passed at submission.
        var earliestBegin: Double?
        /// The date that was asked for.
        var wantedBegin: Double?
        /// Wall clock.
        var submitted: Double
        /// By the boot-time clock; nil if submitted in another boot.
        var submittedUptime: Double?
        var phase = Phase.pending
        /// Since when it is starting or running.
        var phaseSince: Time
        /// When charging for a run stops, by the boot-time clock: the run has then had all the time there is for it.
        var chargedUntil = -Double.infinity
        var attempts: Int
        var returned: Time?
        var retryUntil: Double?
        /// Whether it was started regardless of holds, which then need not end it either.
        var isForced = false
        var isExpired = false
        /// Since when only other runs have held it.
        var crowdedOutSince: Double?

        /// Wall clock.
        var due: Double { max(submitted, earliestBegin ?? submitted) }
        var isContinued: Bool { kind == .continued }
    }

    /// A fact, and when it was reported.
    struct Fact<Value> {
        var at: Time
        var value: Value
    }

    struct Crowd {
        var running: Int
        var limit: Int
        var continued: Int
        var continuedLimit: Int
    }

    /// What an app had left when one of its values changed, and until when each of its runs is charged from then on.
    struct Piece {
        var at: Time
        var level: Double
        var daily: Double
        var ends: [Double] = []

        /// The time left later, if nothing else changes: it comes back gradually, and each run uses its time.
        func left(at uptime: Double) -> Double {
            var (time, left) = (at.uptime, level)
            for next in ends.filter({ $0 > time && $0 < uptime }).sorted() + [max(time, uptime)] {
                let charged = ends.filter { $0 >= next }.count
                left = min(daily, left + (daily / 86_400 - Double(charged)) * (next - time))
                time = next
            }
            return left
        }
    }

    var policy: TaskPolicy
    var requests: [Request] = []
    var conditions: [Fact<MachineConditions>]
    var crowds: [Fact<Crowd>]
    var refreshOff: [[Fact<Bool>]]
    /// Whether the battery was low, which conditions and policy determine together.
    var lows: [Fact<Bool>]
    var holds: [[Fact<AppHold?>]]
    var pieces: [[Piece]]
    let apps: [String]
    let bootID: String
    /// The request to start regardless of holds, if the last event was for that.
    var forced: UInt64?
    /// Whether the last entry of `crowds` belongs to the last event.
    private var isCrowdOfThisEvent = false
    /// The request that would start next if only time passed, and when, by the boot-time clock; as of the last event.
    var next: (uptime: Double, number: UInt64)?

    init(apps: [String], policy: TaskPolicy, conditions: MachineConditions, now: Moment) {
        let time = Time(now)
        self.apps = apps
        bootID = now.bootID
        self.policy = policy
        self.conditions = [Fact(at: time, value: conditions)]
        let crowd = Crowd(
            running: 0,
            limit: policy.runningLimit,
            continued: 0,
            continuedLimit: policy.runningContinuedLimit
        )
        crowds = [Fact(at: time, value: crowd)]
        refreshOff = apps.map { [Fact(at: time, value: !policy.allowsRefresh($0))] }
        lows = [Fact(at: time, value: Self.isLow(conditions, policy))]
        holds = apps.map { _ in [Fact(at: time, value: nil)] }
        let daily = policy.dailySeconds
        pieces = apps.map { _ in [Piece(at: time, level: daily, daily: daily)] }
    }

    var condition: MachineConditions { conditions[conditions.count - 1].value }
    var crowd: Crowd { crowds[crowds.count - 1].value }

    func hold(of app: Int) -> AppHold? { holds[app][holds[app].count - 1].value }

    static func isLow(_ machine: MachineConditions, _ policy: TaskPolicy) -> Bool {
        guard !machine.hasExternalPower, let charge = machine.batteryCharge else { return false }
        return charge < policy.leastCharge
    }

    func index(of number: UInt64) -> Int? { requests.firstIndex { $0.number == number } }

    func left(of app: Int, at uptime: Double) -> Double { pieces[app][pieces[app].count - 1].left(at: uptime) }

    // MARK: Writing down

    mutating func told(_ event: TaskScheduleEvent, now moment: Moment) {
        let now = Time(moment)
        forced = nil
        isCrowdOfThisEvent = false
        switch event {
        case .added(let record): added(record, now)
        case .removed(let number), .ended(let number): gone(number, now)
        case .entered(let number):
            guard let index = index(of: number), requests[index].phase == .starting else { return }
            requests[index].phase = .running
            requests[index].phaseSince = now
            requests[index].chargedUntil = now.uptime + (policy.seconds(for: requests[index].kind) ?? .infinity)
            runsChanged(of: requests[index].app, now)
        case .returned(let number): returned(number, now)
        case .conditions(let value):
            conditions.append(Fact(at: now, value: value))
            lows.append(Fact(at: now, value: Self.isLow(value, policy)))
        case .policy(let value): changed(value, now)
        case .app(let name, let hold):
            guard let app = apps.firstIndex(of: name), self.hold(of: app) != hold else { return }
            holds[app].append(Fact(at: now, value: hold))
        case .force(let number): forced = number
        case .timeIsUp: break
        }
    }

    private mutating func added(_ record: TaskRecord, _ now: Time) {
        let request = record.request
        guard let app = apps.firstIndex(of: request.app) else { return }
        if case .pending = record.phase {
            requests.removeAll {
                $0.app == app && $0.phase == .pending && $0.identifier == request.identifier
            }
        }
        var entry = Request(
            number: request.number,
            app: app,
            identifier: request.identifier,
            kind: request.kind,
            requiresNetwork: request.requiresNetwork,
            requiresPower: request.requiresExternalPower,
            earliestBegin: Self.begin(of: request),
            wantedBegin: request.earliestBegin?.timeIntervalSince1970,
            submitted: request.submitted.wall.timeIntervalSince1970,
            submittedUptime: request.submitted.bootID == bootID ? request.submitted.uptime : nil,
            phaseSince: now,
            attempts: record.attempts
        )
        switch record.phase {
        case .pending:
            // How long ago it came back is unknown.
            if record.attempts > 0 {
                entry.returned = now
                entry.retryUntil = now.uptime + Self.pause(after: record.attempts)
            }
        case .starting(let since):
            entry.phase = .starting
            entry.phaseSince = Time(since)
        case .running(let since):
            entry.phase = .running
            entry.phaseSince = Time(since)
        }
        guard entry.phase != .pending else { return requests.append(entry) }
        let limit = policy.seconds(for: entry.kind) ?? .infinity
        entry.chargedUntil = entry.phaseSince.uptime + limit
        requests.append(entry)
        let ran = entry.phase == .running && !entry.isContinued ? max(0, now.uptime - entry.phaseSince.uptime) : 0
        runsChanged(of: app, now, used: min(ran, limit))
    }

    private static func begin(of request: TaskRequest) -> Double? {
        guard request.kind != .continued, let begin = request.earliestBegin else { return nil }
        return begin <= request.submitted.wall ? nil : begin.timeIntervalSince1970
    }

    private mutating func gone(_ number: UInt64, _ now: Time) {
        guard let index = index(of: number) else { return }
        let request = requests.remove(at: index)
        if request.phase != .pending { runsChanged(of: request.app, now) }
    }

    private mutating func returned(_ number: UInt64, _ now: Time) {
        guard let index = index(of: number), requests[index].phase != .pending else { return }
        let before = requests[index]
        let attempts = before.attempts + 1
        requests[index].phase = .pending
        requests[index].attempts = attempts
        requests[index].returned = now
        requests[index].retryUntil = now.uptime + Self.pause(after: attempts)
        requests[index].isExpired = false
        requests[index].isForced = false
        runsChanged(of: before.app, now)
    }

    /// 5 s, doubled each time, at most an hour.
    private static func pause(after attempts: Int) -> Double { min(3600, 5 * Double(1 << min(attempts - 1, 20))) }

    private mutating func changed(_ value: TaskPolicy, _ now: Time) {
        let daily = policy.dailySeconds
        policy = value
        lows.append(Fact(at: now, value: Self.isLow(condition, value)))
        for app in apps.indices {
            let isOff = !value.allowsRefresh(apps[app])
            if refreshOff[app].last?.value != isOff { refreshOff[app].append(Fact(at: now, value: isOff)) }
            guard daily != value.dailySeconds, var piece = pieces[app].last else { continue }
            // The time already used still counts.
            piece.level = value.dailySeconds - (daily - piece.left(at: now.uptime))
            piece.daily = value.dailySeconds
            piece.at = now
            pieces[app].append(piece)
        }
        crowdChanged(now)
    }

    /// Records that the schedule has started the request.
    mutating func started(_ number: UInt64, now moment: Moment) {
        guard let index = index(of: number) else { return }
        let now = Time(moment)
        requests[index].phase = .starting
        requests[index].phaseSince = now
        requests[index].retryUntil = nil
        requests[index].crowdedOutSince = nil
        requests[index].isForced = forced == number
        runsChanged(of: requests[index].app, now)
    }

    /// `used` is the time that a run has already used when it becomes known.
    private mutating func runsChanged(of app: Int, _ now: Time, used: Double = 0) {
        if var piece = pieces[app].last {
            piece.level = piece.left(at: now.uptime) - used
            piece.at = now
            piece.ends = requests.compactMap { request in
                let isCharged = request.app == app && request.phase == .running && !request.isContinued
                return isCharged ? request.chargedUntil : nil
            }
            pieces[app].append(piece)
        }
        crowdChanged(now)
    }

    private mutating func crowdChanged(_ now: Time) {
        var value = Crowd(
            running: 0,
            limit: policy.runningLimit,
            continued: 0,
            continuedLimit: policy.runningContinuedLimit
        )
        for request in requests where request.phase != .pending {
            if request.isContinued { value.continued += 1 } else { value.running += 1 }
        }
        // A place that is taken at the moment when it becomes free was never free.
        if isCrowdOfThisEvent { crowds.removeLast() }
        isCrowdOfThisEvent = true
        crowds.append(Fact(at: now, value: value))
    }
}
