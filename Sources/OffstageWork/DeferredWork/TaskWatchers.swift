// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol
package import OffstageRuntime

/// Clients that receive events of tasks: changes immediately, progress a few times a second.
///
/// Belongs to `TaskCenter`; every call is on the loop.
package final class TaskWatchers {
    package typealias ConnectionID = TaskCenter.ConnectionID

    private let loop: EventLoop
    private let alarm: TurnAlarm
    /// A task's present row; nil if it no longer exists.
    private var row: (UInt64) -> TaskRow? = { _ in nil }
    private var isRunning: (UInt64) -> Bool = { _ in false }
    private var send: @Sendable (TaskEvent, ConnectionID) -> Void = { _, _ in }
    private var connections: Set<ConnectionID> = []
    /// Tasks whose progress has changed since the last report, and the time of the next report.
    private var unsettled: Set<UInt64> = []
    private var due: Double?

    /// Seconds between two reports of progress.
    package static let pause = 0.25

    package init(loop: EventLoop) {
        self.loop = loop
        alarm = TurnAlarm(loop: loop)
    }

    /// - Parameters:
    ///   - row: a task's present row; nil if it no longer exists.
    ///   - isRunning: whether a task is running: only then is its progress reported.
    ///   - send: sends an event to a connection, on the loop.
    package func start(
        row: @escaping (UInt64) -> TaskRow?,
        isRunning: @escaping (UInt64) -> Bool,
        send: @escaping @Sendable (TaskEvent, ConnectionID) -> Void
    ) {
        self.row = row
        self.isRunning = isRunning
        self.send = send
        alarm.start(times: { [weak self] in (self?.due, nil) }, ring: { [weak self] in self?.timeIsUp() })
    }

    package var isEmpty: Bool { connections.isEmpty }
    package func add(_ connection: ConnectionID) { connections.insert(connection) }
    package func remove(_ connection: ConnectionID) { connections.remove(connection) }

    /// Sends the task's state, which is durable.
    package func notify(of number: UInt64) {
        guard !connections.isEmpty else { return }
        let event = row(number).map { TaskEvent.changed($0) } ?? .removed(number)
        for connection in connections { send(event, connection) }
    }

    /// Handles the progress of a task: it is reported immediately, and then a few times a second.
    package func hasProgress(_ number: UInt64) {
        guard !connections.isEmpty else { return }
        unsettled.insert(number)
        guard due == nil else { return }
        reportProgress()
        due = loop.uptime + Self.pause
        alarm.changed()
    }

    private func timeIsUp() {
        if let due, due <= loop.uptime { reportProgress() }
        alarm.changed()
    }

    /// Reports progress when the pause after the last report is over.
    private func reportProgress() {
        let numbers = unsettled
        unsettled = []
        due = numbers.isEmpty ? nil : loop.uptime + Self.pause
        for number in numbers where isRunning(number) { notify(of: number) }
    }
}
