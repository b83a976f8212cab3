// SPDX-License-Identifier: Apache-2.0
import Foundation
import Offstage
import OffstageCore
import Synchronization

/// The handlers that the app has registered, and the running tasks. From any thread.
final class LaunchHandlers: DeferredWorkHandler {
    /// A handler and its queue. Unchecked: the closure belongs to the app, and is called on the queue that the app
    /// chose for it.
    private struct Registration: @unchecked Sendable {
        var queue: DispatchQueue?
        var call: (BGTask) -> Void
    }

    private struct State: Sendable {
        var registrations: [String: Registration] = [:]
        /// The tasks, retained until they are completed.
        var running: [UInt64: BGTask] = [:]
    }

    private let state = Mutex(State())
    private let port: DeferredWorkPort
    /// For handlers registered without a queue.
    private let queue = DispatchQueue(label: "offstage.background-tasks")

    init(_ port: DeferredWorkPort) { self.port = port }

    /// - Returns: false if the identifier already has a handler.
    func add(_ identifier: String, _ queue: DispatchQueue?, _ call: @escaping (BGTask) -> Void) -> Bool {
        let registration = Registration(queue: queue, call: call)
        return state.withLock { state in
            guard state.registrations[identifier] == nil else { return false }
            state.registrations[identifier] = registration
            return true
        }
    }

    func has(_ identifier: String) -> Bool { state.withLock { $0.registrations[identifier] != nil } }

    // MARK: - Calls from the daemon

    func start(_ launch: TaskLaunch, turn: UInt64) -> Bool {
        guard let registration = state.withLock({ $0.registrations[launch.identifier] }) else { return false }
        let task = makeTask(launch)
        state.withLock { $0.running[launch.number] = task }
        let work: @Sendable () -> Void = { [self] in
            guard port.enter(launch.number, turn: turn) else { return forget(task) }
            AppCode.current.run { registration.call(task) }
        }
        if registration.queue === DispatchQueue.main {
            port.onMain(work)
        } else {
            (registration.queue ?? queue).async(execute: work)
        }
        return true
    }

    func startAgain(_ number: UInt64) { task(number)?.reportAgain() }

    func expire(_ number: UInt64, _ expiry: TaskExpiry) { task(number)?.expire() }

    func leaveOut(_ number: UInt64) { state.withLock { $0.running[number] = nil } }

    /// Forgets a task that was left out; its number may have been started again since.
    private func forget(_ task: BGTask) {
        let number = task.launch.number
        state.withLock { state in
            if state.running[number] === task { state.running[number] = nil }
        }
    }

    private func task(_ number: UInt64) -> BGTask? { state.withLock { $0.running[number] } }

    private func makeTask(_ launch: TaskLaunch) -> BGTask {
        let ended: @Sendable (BGTask, Bool) -> Void = { [self] task, success in
            let number = task.launch.number
            state.withLock { $0.running[number] = nil }
            port.complete(number, success: success)
        }
        switch launch.kind {
        case .refresh: return BGAppRefreshTask(launch, ended: ended)
        case .processing: return BGProcessingTask(launch, ended: ended)
        case .healthResearch: return BGHealthResearchTask(launch, ended: ended)
        case .continued:
            let port = port
            return BGContinuedProcessingTask(launch, tell: { port.reportProgress(launch.number, $0) }, ended: ended)
        }
    }
}
