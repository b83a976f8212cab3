// SPDX-License-Identifier: Apache-2.0
import UIKit

/// Hands out background tasks, on any thread, and ends one, some or all of them. Unchecked: the open tasks are only
/// accessed with the lock held.
final class TaskKeeper: @unchecked Sendable {
    private let application: UIApplication
    private let log: AppLog
    private let lock = NSLock()
    /// The open tasks, by number.
    private var open: [Int: UIBackgroundTaskIdentifier] = [:]

    init(application: UIApplication, log: AppLog) {
        self.application = application
        self.log = log
    }

    /// Begins so many tasks, several at a time.
    func begin(_ count: Int) {
        DispatchQueue.concurrentPerform(iterations: count) { index in
            let number = index + 1
            let task = application.beginBackgroundTask(withName: "task \(number)") { self.expire(number) }
            guard task != .invalid else { return log.note("task \(number) is invalid") }
            lock.withLock { open[number] = task }
        }
        log.note("keeps \(lock.withLock { Set(open.values).count })")
    }

    /// Begins a task that is never ended.
    func leak(_ name: String) {
        _ = application.beginBackgroundTask(withName: name)
        log.note("leaks \(name)")
    }

    /// Ends so many tasks, oldest first; all by default.
    func end(_ count: Int = .max) {
        let ended = lock.withLock {
            let numbers = open.keys.sorted().prefix(count)
            return numbers.compactMap { open.removeValue(forKey: $0) }
        }
        log.note("ends \(ended.count) of \(ended.count + lock.withLock { open.count })")
        for task in ended { application.endBackgroundTask(task) }
    }

    private func expire(_ number: Int) {
        let (task, isLast) = lock.withLock { (open.removeValue(forKey: number), open.isEmpty) }
        // One line for all handlers, which are called in rapid succession.
        if isLast { log.note("time is up") }
        if let task { application.endBackgroundTask(task) }
    }
}
