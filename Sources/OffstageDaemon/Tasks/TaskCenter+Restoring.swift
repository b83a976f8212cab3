// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore

/// What a daemon does first with the requests of the one before.
extension TaskCenter {
    /// Finds out, once every app was found, what became of the tasks that were begun, and lets the schedule begin.
    func restore() async {
        await apps.waitUntilReady()
        guard !isStopping else { return }
        dropTasksOfUnknownApps()
        await recallBudgets()
        // What was begun comes first.
        for number in schedule.numbers(app: nil, limit: .max) {
            guard let record = schedule.record(number), record.phase != .pending else { break }
            switch record.phase {
            case .pending: break
            case .starting(let since): lead(record, since: since, hasEntered: false)
            case .running(let since): lead(record, since: since, hasEntered: true)
            }
        }
        step(.policy(policy))
        hasBecomeReady()
        if schedule.count > 1000 { apps.workers.submit { offstage_trim_heap() } }
    }

    private func dropTasksOfUnknownApps() {
        let known = schedule.apps
        let unknown = apps.assumeIsolated { apps in known.filter { apps.apps[$0] == nil } }
        for app in unknown {
            for record in records(of: app) {
                let isPending = record.phase == .pending
                let number = record.request.number
                forget(
                    record,
                    .dropped("its app is not registered any more"),
                    as: isPending ? .removed(number) : .ended(number)
                )
            }
        }
    }

    /// What runs used in the time of the daemon before counts as much as what they use now.
    private func recallBudgets() async {
        do throws(StoreError) {
            let entries = try await store.taskEntries(app: nil, identifier: nil, limit: Self.recalled)
            schedule.recall(entries, now: clock.now())
        } catch {
            log(error.sentence)
        }
    }

    /// Entries that are looked at for it.
    private static let recalled = 2000

    /// Leads a task on that the daemon before has begun: its app's living process says how it stands, and hears of it
    /// now if it did not, unless its handler was entered: then it goes on, or waits again. Without the process it waits
    /// again.
    private func lead(_ record: TaskRecord, since: Moment, hasEntered: Bool) {
        let request = record.request
        runs[request.number] = TaskRun(since: since, hasEntered: hasEntered, isFromBefore: hasEntered)
        let isThere = apps.assumeIsolated { $0.hasLiveProcess(request.app) }
        if isThere, since.bootID == clock.now().bootID {
            // What was written about it is in the store already.
            hand(request.number)
        } else {
            let sentence =
                since.bootID == clock.now().bootID
                ? "its app ended while the daemon did not run" : "the machine was started anew"
            heard(.returned(request.number, sentence), of: request.app)
        }
    }
}
