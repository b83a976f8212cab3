// SPDX-License-Identifier: Apache-2.0

/// Which deferred task starts when, which is told to end, and why each other one waits. Pure: it reads no clock and
/// does nothing by itself.
///
/// The rules, in order:
/// 1. A task waits for its begin date, its app, the machine's conditions, its app's budget and the limit of those that
///    run at a time: `TaskReason.Cause` names all of them in the order in which they are looked at.
/// 2. Of those that may start, one whose app has the most of its budget left goes first, then the one that has been due
///    longest, then the one with the lowest number.
/// 3. A processing task is told to end when the machine is busy again, and whatever requires external power when that
///    goes. Once: what comes back meanwhile changes nothing.
/// 4. Continued processing asks neither the machine nor the budget: only its app and a limit of its own.
///
/// A schedule lives within one boot of the machine: the daemon makes it anew at its start, from the store.
///
/// A pending request is either among those that pause or in a queue of its app: in its line, or among those with a
/// begin date, come or not. What holds an app, and a date that comes, move queues, which are few, and no request; what
/// holds a kind of queue is asked when something could start. So an event and a decision cost O(log n), and so does the
/// question why. Where the clock is set, and the day's time in the settings, each queue is looked at once.
package struct TaskSchedule: Sendable {
    var policy: TaskPolicy
    var conditions: MachineConditions
    /// The time of the last event.
    var now: Moment
    var times: TaskScheduleTimes

    var slots = TaskScheduleSlots()
    /// Ids of boots, of which slots keep the index.
    var boots: [String] = []
    /// The texts of continued processing for the person, by number.
    var texts: [UInt64: TaskScheduleTexts] = [:]

    var appList: [TaskScheduleApp] = []
    var appIndex: [String: Int32] = [:]
    var queues = TaskScheduleQueues()

    /// Slots by the end of their pause.
    var pausing = TaskScheduleHeap()
    /// Apps by the end of their back-off.
    var backedOff = TaskScheduleHeap()
    /// Apps whose budget is being used by runs: as few as there are runs.
    var charging: [Int32] = []

    var runs = TaskScheduleRuns()

    package init(policy: TaskPolicy, conditions: MachineConditions, now: Moment) {
        self.policy = policy
        self.conditions = conditions
        self.now = now
        times = TaskScheduleTimes(at: now.uptime)
        updateFullness()
    }

    /// Handles an event, and decides.
    ///
    /// - Parameters:
    ///   - event: the event; it has no effect on unknown requests.
    ///   - now: never before that of the last event on the boot-time clock; the wall clock may jump either way.
    /// - Returns: the actions, in order. A task that is told to start counts as starting from now on.
    package mutating func handle(_ event: TaskScheduleEvent, now: Moment) -> [TaskScheduleAction] {
        let wasSetBack = now.wall < self.now.wall
        self.now = now
        if wasSetBack { for queue in queues.indices { refile(Int32(queue)) } }
        var actions: [TaskScheduleAction] = []
        switch event {
        case .added(let record): add(record)
        case .removed(let number): remove(number)
        case .entered(let number): enter(number, since: now)
        case .ended(let number): remove(number)
        case .returned(let number): giveBack(number)
        case .conditions(let new): setConditions(new)
        case .policy(let new): setPolicy(new)
        case .app(let app, let hold): setHold(hold, of: app)
        case .force(let number):
            if let slot = slots.slot(number), slots[Int(slot)].isPending {
                begin(slot, since: now, isForced: true)
                actions.append(.start(number))
            }
        case .timeIsUp: break
        }
        passTime()
        endWhatMustEnd(&actions)
        startWhatMay(&actions)
        updateFullness()
        return actions
    }

    // MARK: - The machine, the settings, the apps

    private mutating func setConditions(_ new: MachineConditions) {
        let old = conditions
        let wasLow = isBatteryLow
        conditions = new
        let time = now.uptime
        if (old.network == .none) != (new.network == .none) { times.network = time }
        if old.hasExternalPower != new.hasExternalPower { times.power = time }
        if old.isDiskFull != new.isDiskFull { times.disk = time }
        if old.isBusy != new.isBusy { times.busy = time }
        if wasLow != isBatteryLow { times.battery = time }
    }

    private mutating func setPolicy(_ new: TaskPolicy) {
        let old = policy
        let wasLow = isBatteryLow
        policy = new
        if wasLow != isBatteryLow { times.battery = now.uptime }
        times.updateRefresh(from: old, to: new, at: now.uptime)
        guard
            old.dailySeconds != new.dailySeconds || old.isRefreshOn != new.isRefreshOn
                || old.refreshExceptions != new.refreshExceptions
        else { return }
        for app in appList.indices {
            appList[app].budget.setDaily(new.dailySeconds, at: now.uptime)
            refileLanes(of: Int32(app))
        }
    }

    private mutating func setHold(_ hold: AppHold?, of id: String) {
        guard hold != nil || appIndex[id] != nil else { return }
        let app = app(id)
        guard appList[Int(app)].hold != hold else { return }
        backedOff.remove(app, &appList)
        appList[Int(app)].hold = hold
        appList[Int(app)].holdSince = now.uptime
        if appList[Int(app)].backedOffUntil.isFinite { backedOff.insert(app, &appList) }
        refileLanes(of: app)
    }

    /// Whether the charge is too low to run anything.
    var isBatteryLow: Bool {
        guard !conditions.hasExternalPower, let charge = conditions.batteryCharge else { return false }
        return charge < policy.leastCharge
    }

    /// Notes since when no more may start.
    private mutating func updateFullness() {
        times.full = runs.counted >= policy.runningLimit ? times.full ?? now.uptime : nil
        times.fullContinued =
            runs.continued >= policy.runningContinuedLimit ? times.fullContinued ?? now.uptime : nil
    }
}

/// The texts of continued processing for the person.
struct TaskScheduleTexts: Sendable {
    var title: String
    var subtitle: String
}
