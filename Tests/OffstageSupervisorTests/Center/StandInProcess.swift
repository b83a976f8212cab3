// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageSupervisor

/// A process of an app, which obeys the daemon unless a test configures otherwise. While stopped it does nothing; when
/// continued, it finds the commands that it was sent.
///
/// `@unchecked Sendable`: belongs to the test's one thread.
final class StandInProcess: HeldProcess, @unchecked Sendable {
    /// How its code behaves.
    struct Habits {
        /// Connects to the daemon and returns from `didFinishLaunching`.
        var connects = true
        /// Calls the completion handler of a session's events.
        var handlesEvents = true
        /// Ends its background tasks when their handlers are called.
        var endsTasks = true
        /// Completes deferred work as soon as it is started; otherwise the work runs on.
        var completesWork = true
        /// Returns from `applicationDidEnterBackground`.
        var entersBackground = true
    }

    let identity: ProcessIdentity
    let app: String
    let token: String?
    let descriptor: Int32
    private unowned let processes: StandInProcesses
    var habits: Habits
    private(set) var isHalted = false
    private(set) var hasEnded = false
    private(set) var isChild: Bool
    private(set) var isInBackground: Bool?
    /// The connection to the current daemon; nil without one.
    var connection: UInt64?
    /// The process's own view of its state.
    private(set) var view = StageView()
    /// The commands that it received, in order, from the moment it ran.
    private(set) var told: [StageCommand] = []
    private var unread: [StageCommand] = []

    init(_ identity: ProcessIdentity, of app: String, token: String?, in processes: StandInProcesses) {
        self.identity = identity
        self.app = app
        self.token = token
        self.processes = processes
        habits = processes.habits
        isChild = token != nil
        descriptor = offstage_eventfd()
    }

    deinit { close(descriptor) }

    // MARK: HeldProcess

    var leadsGroup: Bool { true }

    func stop() { isHalted = !hasEnded }

    func resume() {
        guard isHalted, !hasEnded else { return }
        isHalted = false
        let waiting = unread
        unread = []
        for command in waiting { carryOut(command) }
    }

    func kill() { end(.signalled(SIGKILL)) }
    func isStopped() -> Bool? { hasEnded ? nil : isHalted }
    func terminalStanding() -> (isStopped: Bool, isInFront: Bool)? { nil }
    func setPriority(isBackground: Bool) { isInBackground = isBackground }

    /// Ends, as the kernel reports it.
    func end(_ end: ProcessEnd) {
        guard !hasEnded else { return }
        hasEnded = true
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
        processes.ended(self, end)
    }

    // MARK: On stage

    func connect() { if habits.connects { processes.stage?.attach(self) } }

    /// The daemon has told it why it was launched.
    func attached(_ launch: LaunchCause) {
        guard view.state == nil else { return }
        report(.launched)
        move(to: launch.isForeground ? .active : .background)
    }

    /// Whether it received a command of this kind.
    func wasTold(_ isMeant: (StageCommand) -> Bool) -> Bool { told.contains(where: isMeant) }

    func daemonEnded() {
        isChild = false
        connection = nil
    }

    func receive(_ command: StageCommand) {
        if isHalted { unread.append(command) } else { carryOut(command) }
    }

    private func carryOut(_ command: StageCommand) {
        told.append(command)
        switch command {
        case .enterForeground: move(to: .active)
        case .enterBackground: if habits.entersBackground { move(to: .background) }
        case .handleEvents(let session, _):
            view.unhandled.append(session)
            report(.announced(session: session))
            if habits.handlesEvents { handled(session) }
        case .expire:
            if habits.endsTasks { for task in view.tasks { endTask(task.id) } }
            report(.expired)
        case .prepareToSuspend(let number):
            report(.finishing(number))
            report(.readyToSuspend(number))
        case .terminate: end(.exited(0))
        case .startTask(let launch, _):
            report(.taskEntered(launch.number))
            if habits.completesWork { complete(launch.number) }
        case .expireTask(let number, _): if habits.endsTasks { complete(number) }
        case .backgroundTime, .memoryWarning: break
        }
    }

    // MARK: What its code does

    func report(_ report: StageReport) { processes.stage?.report(report, of: self) }

    func move(to state: LifeState) {
        view.state = state
        report(.state(state))
    }

    func beginTask(_ id: Int, _ name: String, at uptime: Double) {
        let task = BackgroundTask(id: id, name: name, beganAt: uptime)
        view.tasks.append(task)
        report(.beganTask(task))
    }

    func endTask(_ id: Int) {
        view.tasks.removeAll { $0.id == id }
        report(.endedTask(id))
    }

    private func complete(_ number: UInt64) {
        report(.taskCompleted(TaskCompletion(number: number, success: true)))
    }

    func handled(_ session: String) {
        view.unhandled.removeAll { $0 == session }
        report(.handled(session: session))
    }
}
