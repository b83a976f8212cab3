// SPDX-License-Identifier: Apache-2.0
import Foundation
import Offstage
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Sends requests about deferred work to the daemon. From any thread, one at a time.
/// Unchecked: its variables are only accessed while the lock is held.
final class SchedulerClient: @unchecked Sendable {
    /// Seconds to wait for the rules, which the main thread requests while the app is being launched.
    private static let patienceForRules = 3.0
    /// Seconds before asking again a daemon that failed to send the rules: an app registers its handlers one after
    /// another, and must be launched even without the rules.
    private static let pause = 10.0

    private let client = BlockingClient()
    private let lock = NSLock()
    // Guarded by `lock`.
    private var rules: TaskRules.Reply?
    private var rulesFailed: ContinuousClock.Instant?

    /// Like `BlockingClient.ask`.
    func ask<Request: WireRequest>(
        _ request: Request,
        again: Request? = nil
    ) throws(OffstageError) -> Request.Reply {
        try client.ask(request, again: again)
    }

    /// What the app's `Info.plist` permits; nil if the daemon cannot be asked. Does not start a daemon: the launch of
    /// the app does.
    func permissions() -> TaskRules.Reply? {
        guard lock.lock(before: Date(timeIntervalSinceNow: Self.patienceForRules)) else { return nil }
        defer { lock.unlock() }
        if let rules { return rules }
        if let rulesFailed, ContinuousClock.now - rulesFailed < .seconds(Self.pause) { return nil }
        do throws(OffstageError) {
            rules = try client.ask(TaskRules(), within: Self.patienceForRules, startsDaemon: false)
        } catch {
            // The absence of a daemon is detected immediately.
            if error.code != .daemonUnreachable { rulesFailed = .now }
        }
        return rules
    }
}
