// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore

/// What a daemon does first with the requests of the one before.
extension TaskCenter {
    /// Finds out, once every app was found, what became of the tasks that were begun, and lets the schedule begin.
    func restore() async {
        await apps.waitUntilReady()
        guard !readiness.isStopping else { return }
        dropTasksOfUnknownApps()
        // What was begun comes first.
        for number in schedule.underWay {
            guard let record = schedule.record(number) else { continue }
            switch record.phase {
            case .pending: break
            case .starting(let since): lead(record, since: since, hasEntered: false)
            case .running(let since): lead(record, since: since, hasEntered: true)
            }
        }
        // Before anything is ended: the load may be that of these tasks.
        machine.ownRunsChanged()
        step(.policy(policy))
        readiness.becomeReady()
        if schedule.count > 1000 { workers.submit { offstage_trim_heap() } }
    }

    private func dropTasksOfUnknownApps() {
        let known = schedule.apps
        let unknown = apps.assumeIsolated { apps in Set(known.filter { !apps.isRegistered($0) }) }
        guard !unknown.isEmpty else { return }
        for number in schedule.numbers(app: nil, limit: .max) {
            guard let record = schedule.record(number), unknown.contains(record.request.app) else { continue }
            forget(
                record,
                .dropped("its app is no longer registered"),
                as: record.phase == .pending ? .removed(number) : .ended(number)
            )
        }
    }

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
                ? "its app ended while the daemon was not running" : "the machine was restarted"
            heard(.returned(request.number, sentence), of: request.app)
        }
    }
}
