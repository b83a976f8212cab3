// SPDX-License-Identifier: Apache-2.0
import Foundation
import Offstage
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Asks the daemon about deferred work. From any thread, one at a time.
/// Unchecked: its variables are only touched with the lock held.
final class TaskDesk: @unchecked Sendable {
    /// Seconds for the rules, which the main thread asks for while the app is launched.
    private static let patienceForRules = 3.0
    /// Seconds for which a daemon that could not be asked for the rules is not asked again: an app registers its handlers
    /// one after the other, and is to be launched all the same.
    private static let pause = 10.0

    private let desk = DaemonDesk()
    private let lock = NSLock()
    // Guarded by `lock`.
    private var rules: TaskRules.Reply?
    private var rulesFailed: ContinuousClock.Instant?

    /// As `DaemonDesk.ask`.
    func ask<Request: WireRequest>(
        _ request: Request,
        again: Request? = nil
    ) throws(OffstageError) -> Request.Reply {
        try desk.ask(request, again: again)
    }

    /// What the app's `Info.plist` permits; nil when the daemon cannot be asked. None is started: who launches the app does
    /// that.
    func permissions() -> TaskRules.Reply? {
        guard lock.lock(before: Date(timeIntervalSinceNow: Self.patienceForRules)) else { return nil }
        defer { lock.unlock() }
        if let rules { return rules }
        if let rulesFailed, ContinuousClock.now - rulesFailed < .seconds(Self.pause) { return nil }
        do throws(OffstageError) {
            rules = try desk.ask(TaskRules(), within: Self.patienceForRules, startsDaemon: false)
        } catch {
            // That there is none is known at once.
            if error.code != .daemonUnreachable { rulesFailed = .now }
        }
        return rules
    }
}
