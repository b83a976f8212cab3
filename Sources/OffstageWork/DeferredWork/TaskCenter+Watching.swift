// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol

/// Clients that are told what becomes of tasks.
extension TaskCenter {
    package func watch(_ request: WatchTasks, connection: ConnectionID) async -> WatchTasks.Reply {
        await waitUntilReady()
        watchers.insert(connection)
        let now = clock.now()
        let limit = min(max(request.limit, 1), 2000)
        return WatchTasks.Reply(rows: schedule.numbers(app: nil, limit: limit).compactMap { row($0, now: now) })
    }

    /// What is known of the task is durable.
    func tellWatchers(of number: UInt64) {
        guard !watchers.isEmpty else { return }
        let event = row(number, now: clock.now()).map { TaskEvent.changed($0) } ?? .removed(number)
        for connection in watchers { send?(event, connection) }
    }

    /// A task has come further: watchers hear of it at once, and then a few times a second.
    func hasProgress(_ number: UInt64) {
        guard !watchers.isEmpty else { return }
        unsettledProgress.insert(number)
        guard progressDue == nil else { return }
        tellProgress()
        progressDue = clock.now().uptime + Self.progressPause
        armAlarm()
    }

    /// The pause after the last word is over.
    func tellProgress() {
        let numbers = unsettledProgress
        unsettledProgress = []
        progressDue = numbers.isEmpty ? nil : clock.now().uptime + Self.progressPause
        for number in numbers where runs[number] != nil { tellWatchers(of: number) }
    }

    /// Seconds between two words of progress.
    private static let progressPause = 0.25
}
