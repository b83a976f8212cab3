// SPDX-License-Identifier: Apache-2.0
import COffstageUIKit
import Foundation
import Glibc
import Offstage
import OffstageClient
import OffstageCore
import OffstageProtocol
import Synchronization

/// The app as the daemon sees it: its reports and the daemon's commands meet here. From any thread.
///
/// Three threads use it. The app's main thread carries out commands (`StagePerformer`), the link's thread owns the
/// socket (`StageLink`), and one thread handles signals (`SignalWatch`).
final class Stage: Sendable {
    /// The result of the first attempt to connect.
    enum Attachment: Sendable {
        case attached(AttachApp.Reply)
        /// Another process of the app exists, and this one must end.
        case refused(OffstageError)
    }

    typealias Work = @Sendable () -> Void

    /// Runs work on the main thread. A wrapper around the closure: a closure that is itself the value of a `Mutex` is
    /// wrapped again each time it is read, until a call of it overflows the stack.
    private struct Runner: Sendable {
        let run: @Sendable (@escaping Work) -> Void
    }

    /// The stage of this process.
    static let current = Stage()

    private let standing = Mutex(StageStanding())
    private let commands = Mutex<[StageCommand]>([])
    private let runner = Mutex(Runner { work in DispatchQueue.main.async { work() } })
    private let terminal = Mutex<Terminal?>(nil)
    private let refresh = Mutex(true)
    private let link = Mutex<AppLink?>(nil)
    private let linking = NSCondition()
    // Guarded by `linking`.
    nonisolated(unsafe) private var attachment: Attachment?
    nonisolated(unsafe) private var isAwaited = true
    nonisolated(unsafe) private var isSending = false
    /// Whether a daemon was found, but has not answered.
    nonisolated(unsafe) private var isAsking = false
    /// When `isAsking` last changed.
    nonisolated(unsafe) private var askedAt = Date.distantPast

    private init() {}

    // MARK: - Requests of the app

    var lifeState: LifeState { standing.withLock { $0.lifeState } }

    var timeRemaining: Double {
        let now = BootClock.now
        return standing.withLock { $0.timeRemaining(now: now) }
    }

    /// Whether the settings allow the app's refresh tasks.
    var allowsRefresh: Bool { refresh.withLock { $0 } }

    func beginTask(named name: String, _ handler: StageStanding.Handler?) -> UIBackgroundTaskIdentifier {
        let now = BootClock.now
        return UIBackgroundTaskIdentifier(rawValue: change { $0.beginTask(named: name, now: now, handler) })
    }

    /// Opens a task for a call without a name, identified by its return address.
    func beginTask(from caller: UInt, _ handler: StageStanding.Handler?) -> UIBackgroundTaskIdentifier {
        let now = BootClock.now
        return UIBackgroundTaskIdentifier(rawValue: change { $0.beginTask(from: caller, now: now, handler) })
    }

    /// Ends a task; an identifier that is not open is reported on standard error, as on Apple's systems.
    func endTask(_ id: Int) {
        guard !change({ $0.endTask(id) }) else { return }
        let hexadecimal = String(UInt(bitPattern: id), radix: 16)
        Self.complain(
            "Can't end BackgroundTask: no background task exists with identifier \(id) (0x\(hexadecimal)), or it may have already been ended. Break in UIApplicationEndBackgroundTaskError() to debug."
        )
        UIApplicationEndBackgroundTaskError()
    }

    static func complain(_ sentence: String) { StandardError.write(sentence) }

    // MARK: - Events

    /// Changes the standing, and reports the consequences to the daemon.
    @discardableResult
    func change<Result: Sendable>(_ body: (inout StageStanding) -> Result) -> Result {
        let (result, hasReports) = standing.withLock { standing in
            (body(&standing), !standing.unsent.isEmpty)
        }
        if hasReports { wakeLink() }
        return result
    }

    func report(_ report: StageReport) { change { $0.report(report) } }

    // MARK: - The main thread

    /// Sets the function that runs work on the main thread; called once, before anything uses it.
    func setRunner(_ run: @escaping @Sendable (@escaping Work) -> Void) { runner.withLock { $0 = Runner(run: run) } }

    /// Runs work on the main thread, later.
    func onMain(_ work: @escaping @MainActor @Sendable () -> Void) {
        let runner = runner.withLock { $0 }
        runner.run { MainActor.assumeIsolated { work() } }
    }

    /// Carries out a command on the main thread, after earlier ones.
    ///
    /// The command to end a deferred task does not wait for the main thread, which may itself be keeping the task from
    /// ending.
    func deliver(_ command: StageCommand) {
        if case .prepareToSuspend(let number) = command { return prepareToSuspend(number) }
        if case .expireTask(let number, let expiry) = command, expire(number, expiry) { return }
        let isFirst = commands.withLock { commands in
            commands.append(command)
            return commands.count == 1
        }
        if isFirst { onMain { StagePerformer.shared.performCommands() } }
    }

    /// - Returns: false if the task is just being started.
    private func expire(_ number: UInt64, _ expiry: TaskExpiry) -> Bool {
        if DeferredWorkPort.shared.expire(number, expiry) { return true }
        let isUntold = commands.withLock { commands in
            let count = commands.count
            commands.removeAll { if case .startTask(let launch, _) = $0 { launch.number == number } else { false } }
            return commands.count < count
        }
        if isUntold { report(.taskLeftOut(number)) }
        return isUntold
    }

    func takeCommand() -> StageCommand? {
        commands.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    // MARK: - The terminal

    func setTerminal(_ new: Terminal?) { terminal.withLock { $0 = new } }

    /// Whether the process group is in the foreground of its terminal; nil if there is no terminal, or the app was not
    /// started there.
    var isInFrontOfTerminal: Bool? { terminal.withLock { $0?.isInFront } }

    // MARK: - The link

    /// Starts looking for the daemon, on the link's thread, and never stops.
    func startLink(_ environment: [String: String]) {
        let new = AppLink.shared(environment)
        link.withLock { $0 = new }
        new.add(StageLink(self))
    }

    /// Waits for the first connection.
    ///
    /// - Parameters:
    ///   - connecting: seconds to wait while no daemon is found.
    ///   - answering: seconds that a daemon may take to answer once it is found: until then, another process may be the
    ///     app.
    /// - Returns: nil if there is no result by then, or none is expected.
    func waitForAttachment(connecting: Double, answering: Double) -> Attachment? {
        linking.lock()
        defer { linking.unlock() }
        let began = Date()
        while attachment == nil, isAwaited {
            let end = max(began, askedAt).addingTimeInterval(isAsking ? answering : connecting)
            guard Date() < end else { break }
            _ = linking.wait(until: end)
        }
        isAwaited = false
        return attachment
    }

    /// Records that a daemon was found and is being asked, or will no longer answer; for the link's thread.
    func asks(_ isAsking: Bool) {
        linking.lock()
        defer { linking.unlock() }
        guard self.isAsking != isAsking else { return }
        self.isAsking = isAsking
        askedAt = Date()
        linking.broadcast()
    }

    /// Waits until reports have been sent, for at most this many seconds.
    func waitUntilSent(seconds: Double) {
        let end = Date(timeIntervalSinceNow: seconds)
        linking.lock()
        defer { linking.unlock() }
        while isSending || standing.withLock({ !$0.unsent.isEmpty }), linking.wait(until: end) {}
    }

    private func wakeLink() { link.withLock { $0 }?.wake() }

    /// Returns the reports to send; `sent` follows. For the link's thread.
    func takeReports() -> [StageReport] {
        linking.lock()
        defer { linking.unlock() }
        let (reports, callers) = standing.withLock { $0.takeUnsent() }
        isSending = !reports.isEmpty
        guard !callers.isEmpty else { return reports }
        return reports.map { report in
            guard case .beganTask(let task) = report else { return report }
            return .beganTask(Self.named(task, callers))
        }
    }

    private static func named(_ task: BackgroundTask, _ callers: [Int: UInt]) -> BackgroundTask {
        guard let caller = callers[task.id] else { return task }
        var task = task
        task.name = CallerName.at(caller)
        return task
    }

    /// Records that the reports have been sent; for the link's thread.
    func sent() {
        linking.lock()
        isSending = false
        linking.broadcast()
        linking.unlock()
    }

    /// Returns the view with which a connection begins; for the link's thread.
    func beginFollowing() -> StageView {
        let terminal = isInFrontOfTerminal
        var (view, callers) = standing.withLock { ($0.beginFollowing(terminal: terminal), $0.callers) }
        view.tasks = view.tasks.map { Self.named($0, callers) }
        // Read last: everything that happens to a task from here on is reported, and arrives twice rather than never.
        (view.runningTasks, view.completedTasks) = DeferredWorkPort.shared.view
        return view.bounded
    }

    /// Records that the connection was lost or failed; for the link's thread.
    func endFollowing() {
        standing.withLock { $0.endFollowing() }
        sent()
    }

    /// Records that a connection has begun; for the link's thread.
    func attached(_ reply: AttachApp.Reply) {
        let hasChanged = refresh.withLock { refresh in
            defer { refresh = reply.allowsRefresh }
            return refresh != reply.allowsRefresh
        }
        // An app that is being launched has not read the old status yet.
        if resolve(.attached(reply)) || !hasChanged { return }
        onMain {
            NotificationCenter.default.post(
                name: UIApplication.backgroundRefreshStatusDidChangeNotification,
                object: UIApplication.shared
            )
        }
    }

    /// Sets the result, or nil if waiting for it is pointless; for the link's thread.
    ///
    /// - Returns: whether the launch was waiting for it.
    @discardableResult
    func resolve(_ new: Attachment?) -> Bool {
        linking.lock()
        defer { linking.unlock() }
        guard isAwaited else { return false }
        attachment = new
        isAwaited = false
        linking.broadcast()
        return true
    }
}
