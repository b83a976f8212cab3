// SPDX-License-Identifier: Apache-2.0

/// Decides which deferred task starts when, which is asked to end, and why each of the others waits. Pure: it reads no
/// clock and has no side effects.
///
/// The rules, in order:
/// 1. A task waits for its begin date, its app, the machine's conditions, its app's budget and the limit of
///    simultaneous tasks: `TaskReason.Cause` names all of them in the order of the checks.
/// 2. Of the tasks that may start, one whose app has the most of its budget left goes first, then the one that has been
///    due longest, then the one with the lowest number.
/// 3. A processing task is asked to end when the machine is busy again, and a task that requires external power when
///    power is lost. It is asked once, even if the condition returns meanwhile.
/// 4. Continued processing depends on neither the machine nor the budget: only on its app and its own limit.
///
/// A schedule lives within one boot of the machine: the daemon rebuilds it from the store when it starts.
///
/// A pending request is either pausing or in a queue of its app: in the queue's line, or in its heap of requests with a
/// begin date, past or future. A hold of an app and a date that is reached move queues, which are few, but no requests.
/// The holds of a kind of queue are checked when something could start. So an event, a decision and the question why
/// each cost O(log n). When the clock, or the daily time in the settings, is changed, each queue is visited once.
package struct TaskSchedule: Sendable {
    var policy: TaskPolicy
    var conditions: MachineConditions
    /// The time of the last event.
    var now: Moment
    var times: TaskScheduleTimes

    var slots = TaskScheduleSlots()
    /// Ids of boots; slots keep their index.
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
    /// Apps whose budget is being used by runs: at most as many as there are runs.
    var charging: [Int32] = []

    var runs = TaskScheduleRuns()

    package init(policy: TaskPolicy, conditions: MachineConditions, now: Moment) {
        self.policy = policy
        self.conditions = conditions
        self.now = now
        times = TaskScheduleTimes(at: now.uptime)
        updateFullness()
    }

    /// Handles an event and makes the decisions that follow.
    ///
    /// - Parameters:
    ///   - event: the event; it has no effect on unknown requests.
    ///   - now: never before the last event on the boot-time clock; the wall clock may jump either way.
    /// - Returns: the actions, in order. A task with an action to start counts as starting from now on.
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

    /// Records since when no more tasks may start.
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
