// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The checks after each event, and the occasional comparisons of the two readings.
extension SimulatedWeek {
    mutating func check(_ action: TaskScheduleAction, _ now: Moment) {
        switch action {
        case .start(let number):
            if let problem = naive.problem(starting: number, now: now) { fail(problem) }
            naive.started(number, now: now)
        case .expire(let number, let expiry):
            if let problem = naive.problem(expiring: number, expiry) { fail(problem) }
        }
    }

    mutating func checkSchedule(after event: TaskScheduleEvent, _ now: Moment) {
        guard failure == nil, let schedule else { return }
        if let problem = naive.problem(after: event, now: now) { return fail(problem) }
        let wall = now.wall.timeIntervalSince1970
        let next = schedule.nextLook
        if let uptime = next.uptime, uptime <= now.uptime { return fail("it asks for \(uptime), which has come") }
        if let date = next.wall, date <= wall { return fail("it asks for the date \(date), which has come") }
        guard let start = naive.next else { return }
        let look = min(next.uptime ?? .infinity, (next.wall ?? .infinity) - wall + now.uptime)
        if look > start.uptime + 5 * NaiveTaskSchedule.slack {
            fail(
                "\(start.number) would start in \(start.uptime - now.uptime) s, and it looks in \(look - now.uptime) s"
            )
        }
    }

    mutating func look() {
        agenda.add(.look, at: time + pause(12_000))
        guard schedule != nil, failure == nil else { return }
        for request in naive.requests.prefix(12) { compare(request.number) }
        compareLists()
        if chance(10) { checkForecast() }
    }

    /// Compares one request at a moment at which something has happened.
    mutating func compareSome() {
        guard let request = naive.requests.randomElement(using: &random) else { return }
        compare(request.number)
    }

    private mutating func compare(_ number: UInt64) {
        guard failure == nil, let reason = schedule?.why(number, now: now) else {
            return fail("it does not know why \(number) waits")
        }
        guard let answer = naive.why(number, now: now) else {
            // Due; the alarm is about to fire.
            return
        }
        counts.whys[Self.name(of: reason.cause), default: 0] += 1
        let wall = now.wall.timeIntervalSince1970
        let since = reason.since.timeIntervalSince1970
        guard Self.isSame(reason.cause, answer.cause) else {
            return fail("why \(number): \(reason.cause), and should be \(answer.cause)")
        }
        if !answer.since.contains(where: { abs($0 - since) < 0.01 || abs(min($0, wall) - since) < 0.01 }) {
            let ages = answer.since.map { wall - $0 }
            return fail("why \(number): \(reason.cause) since \(wall - since) s, and should be \(ages)")
        }
        switch (reason.nextLook?.timeIntervalSince1970, answer.nextLook) {
        case (nil, nil): break
        case (let look?, let date?) where abs(look - date) < 0.01: break
        case (let look, let date):
            let (mine, theirs) = (date.map { $0 - wall } ?? .nan, look.map { $0 - wall } ?? .nan)
            fail("why \(number): \(reason.cause), next look in \(theirs) s, and should be in \(mine) s")
        }
    }

    private static func name(of cause: TaskReason.Cause) -> String {
        switch cause {
        case .running: "running"
        case .starting: "starting"
        case .earliestBegin: "earliestBegin"
        case .appQuit: "appQuit"
        case .appEnding: "appEnding"
        case .appBackedOff: "appBackedOff"
        case .refreshOff: "refreshOff"
        case .noNetwork: "noNetwork"
        case .noExternalPower: "noExternalPower"
        case .lowBattery: "lowBattery"
        case .diskFull: "diskFull"
        case .machineBusy: "machineBusy"
        case .budgetSpent: "budgetSpent"
        case .othersRun: "othersRun"
        case .retry: "retry"
        }
    }

    private static func isSame(_ one: TaskReason.Cause, _ other: TaskReason.Cause) -> Bool {
        switch (one, other) {
        case (.budgetSpent(let one), .budgetSpent(let other)): abs(one - other) < 0.01
        case (.lowBattery(let one, let least), .lowBattery(let other, let otherLeast)):
            abs(one - other) < 0.001 && abs(least - otherLeast) < 0.001
        default: one == other
        }
    }

    private mutating func compareLists() {
        guard let schedule, failure == nil else { return }
        let known = naive.requests.map(\.number).sorted()
        let numbers = schedule.numbers(app: nil, limit: .max)
        if numbers.sorted() != known { return fail("it knows \(numbers.sorted()), and should \(known)") }
        if store.waiting.isEmpty, store.rows.keys.sorted() != known {
            return fail("it knows \(known), and the store \(store.rows.keys.sorted())")
        }
        for (index, app) in apps.enumerated() {
            let mine = naive.requests.filter { $0.app == index && $0.phase == .pending }
            let count = schedule.pendingCount(app: app.name, kinds: TaskRequest.Kind.allCases)
            if count != mine.count { return fail("\(count) of \(app.name) are pending, and should be \(mine.count)") }
            for request in mine where schedule.number(of: request.identifier, app: app.name) != request.number {
                return fail("\(app.name)/\(request.identifier) is not \(request.number)")
            }
            let (left, own) = (schedule.budgetLeft(of: app.name, now: now), naive.left(of: index, at: now.uptime))
            if abs(left - own) > 0.01 { return fail("\(app.name) has \(left) s left, and should have \(own) s") }
        }
        let isPending = numbers.map { number in naive.requests.first { $0.number == number }?.phase == .pending }
        if isPending != isPending.sorted(by: { !$0 && $1 }) { return fail("those that run are not listed first") }
        for request in naive.requests { checkRecord(request, schedule) }
    }

    private mutating func checkRecord(_ request: NaiveTaskSchedule.Request, _ schedule: TaskSchedule) {
        guard let record = schedule.record(request.number) else { return fail("\(request.number) has no record") }
        let same =
            record.request.app == apps[request.app].name && record.request.identifier == request.identifier
            && record.request.kind == request.kind && record.request.requiresNetwork == request.requiresNetwork
            && record.request.requiresExternalPower == request.requiresPower && record.attempts == request.attempts
            && abs(record.request.submitted.wall.timeIntervalSince1970 - request.submitted) < 0.01
        let phase: NaiveTaskSchedule.Phase =
            switch record.phase {
            case .pending: .pending
            case .starting: .starting
            case .running: .running
            }
        let begin = record.request.earliestBegin?.timeIntervalSince1970
        let isSameDate = abs((begin ?? 0) - (request.wantedBegin ?? 0)) < 0.01
        if !same || phase != request.phase || !isSameDate { fail("the record of \(request.number) is \(record)") }
    }

    /// A forecast changes nothing, names each request once, and begins with the request that time alone releases first.
    private mutating func checkForecast() {
        guard let schedule, failure == nil else { return }
        counts.forecasts += 1
        let forecasts = schedule.forecast(seconds: 86_400, now: now, limit: 200)
        if Set(forecasts.map(\.number)).count != forecasts.count { return fail("a forecast names one twice") }
        for forecast in forecasts where forecast.date < now.wall.addingTimeInterval(-0.01) {
            return fail("a forecast is of the past: \(forecast)")
        }
        guard let start = naive.nextStart(now: now), start.uptime > now.uptime else { return }
        let delay = start.uptime - now.uptime
        guard delay < 86_000, naive.requests.allSatisfy({ $0.phase == .pending }) else { return }
        guard let first = forecasts.map({ $0.date.timeIntervalSince(now.wall) }).min() else {
            return fail("a forecast does not name \(start.number), which starts in \(delay) s")
        }
        if abs(first - delay) > 0.1 {
            fail("a forecast begins in \(first) s, and \(start.number) starts in \(delay) s")
        }
    }

    /// At the end of the week.
    mutating func checkEnd() {
        if schedule != nil {
            for request in naive.requests { compare(request.number) }
            compareLists()
        }
        for batch in store.waiting { if let problem = store.commit(batch) { fail(problem) } }
        store.waiting = []
        if !store.lost.isEmpty { fail("these are lost: \(store.lost)") }
        if schedule != nil, naive.requests.map(\.number).sorted() != store.rows.keys.sorted() {
            // The latest durable changes have not been reported yet.
            let known = Set(naive.requests.map(\.number))
            let missing = known.subtracting(store.rows.keys)
            if !missing.isEmpty { fail("the store does not know \(missing.sorted())") }
        }
    }
}
