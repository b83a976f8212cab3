// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import OffstageCore

/// A daemon's first work: the requests of the daemon before.
extension TaskCenter {
    /// Once all apps have been found, determines the outcomes of the tasks that had started, and starts the schedule.
    func restore() async {
        await apps.waitUntilReady()
        guard !readiness.isStopping else { return }
        dropTasksOfUnknownApps()
        // Tasks that had started come first.
        for number in schedule.underWay {
            guard let record = schedule.record(number) else { continue }
            switch record.phase {
            case .pending: break
            case .starting(let since): lead(record, since: since, hasEntered: false)
            case .running(let since): lead(record, since: since, hasEntered: true)
            }
        }
        // Before any task is ended, because the load may be caused by these tasks.
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

    /// Continues a task that the daemon before started. Its app's living process reports its state, or receives it now
    /// if it had not before. If its handler was entered, it continues; otherwise, or without the process, it waits
    /// again.
    private func lead(_ record: TaskRecord, since: Moment, hasEntered: Bool) {
        let request = record.request
        runs[request.number] = TaskRun(since: since, hasEntered: hasEntered, isFromBefore: hasEntered)
        let isThere = apps.assumeIsolated { $0.hasLiveProcess(request.app) }
        if isThere, since.bootID == clock.now().bootID {
            // Its entries are already in the store.
            hand(request.number)
        } else {
            let sentence =
                since.bootID == clock.now().bootID
                ? "its app ended while the daemon was not running" : "the machine was restarted"
            receive(.returned(request.number, sentence), of: request.app)
        }
    }
}
