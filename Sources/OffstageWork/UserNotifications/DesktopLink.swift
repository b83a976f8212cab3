// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
package import OffstageProtocol
package import OffstageRuntime

/// The link to a desktop: the program `offstage-notifier`, which talks to the session bus and is started when there is
/// something to show. On the loop.
package actor DesktopLink {
    package typealias ConnectionID = UInt64

    nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    package struct Key: Sendable, Hashable {
        var app: String
        var identifier: String

        package init(app: String, identifier: String) { (self.app, self.identifier) = (app, identifier) }
    }

    /// Starts the program; returns nil, or why it cannot be started.
    private let startProgram: @Sendable () -> String?
    private let alarm: EventLoop.Alarm
    private var send: (@Sendable (DesktopCommand, ConnectionID) -> Void)?
    private var told: ((Key, ReportDesktop.Outcome) -> Void)?

    /// A notification that is shown or about to be.
    private struct Shown {
        var key: Key
        /// The identifiers of the actions that it offers.
        var actions: [String]
    }

    private var connection: ConnectionID?
    private var shown: [UInt64: Shown] = [:]
    private var nextKey: UInt64 = 1
    /// Notifications that wait for the program.
    private var waiting: [DesktopNotification] = []
    private var waitsUntil: Double?

    /// Seconds within which the program must connect.
    private static let patience = 10.0
    /// The most bytes of the program's reason for not showing a notification.
    package static let longestReason = 300

    package init(loop: EventLoop, startProgram: @escaping @Sendable () -> String?) {
        self.loop = loop
        self.startProgram = startProgram
        alarm = loop.makeAlarm()
    }

    package func setServer(send: @escaping @Sendable (DesktopCommand, ConnectionID) -> Void) {
        self.send = send
        loop.onAlarm(alarm) { [weak self] in self?.assumeIsolated { $0.giveUp() } }
    }

    /// Sets the handler for the results of notifications.
    func onOutcome(_ told: @escaping (Key, ReportDesktop.Outcome) -> Void) { self.told = told }

    /// Shows a notification, replacing one with the same key; the result may be reported before this returns. The link
    /// assigns its number.
    package func show(_ notification: DesktopNotification, _ key: Key) {
        close(key)
        let number = nextKey
        nextKey += 1
        shown[number] = Shown(key: key, actions: notification.actions.map(\.identifier))
        var notification = notification
        notification.key = number
        // Queued behind the notifications that wait for a program that has only just connected.
        if let connection, waiting.isEmpty { return show(notification, by: connection) }
        waiting.append(notification)
        if connection == nil { awaitProgram() }
    }

    private func awaitProgram() {
        guard waitsUntil == nil else { return }
        if let why = startProgram() { return giveUp(why) }
        waitsUntil = loop.uptime + Self.patience
        loop.setAlarm(alarm, uptime: waitsUntil)
    }

    func close(_ key: Key) {
        for (number, other) in shown where other.key == key {
            shown[number] = nil
            waiting.removeAll { $0.key == number }
            if let connection { send?(.close(key: number), connection) }
        }
    }

    private func show(_ notification: DesktopNotification, by connection: ConnectionID) {
        send?(.show(notification), connection)
    }

    private func giveUp(_ why: String = "the program for the desktop did not connect") {
        waitsUntil = nil
        loop.setAlarm(alarm, uptime: nil)
        let lost = waiting
        waiting = []
        for notification in lost { receive(.failed(why), of: notification.key) }
    }

    private func receive(_ outcome: ReportDesktop.Outcome, of number: UInt64) {
        guard let key = shown[number]?.key else { return }
        if outcome != .shown { shown[number] = nil }
        told?(key, outcome)
    }

    // MARK: The program

    /// Handles the connection of the program: waiting notifications are shown after the answer. If there are several
    /// programs, the last one is used.
    package func attach(_ connection: ConnectionID) {
        self.connection = connection
        waitsUntil = nil
        loop.setAlarm(alarm, uptime: nil)
        loop.post { [weak self] in self?.assumeIsolated { $0.sendWaiting(to: connection) } }
    }

    private func sendWaiting(to connection: ConnectionID) {
        guard connection == self.connection else { return }
        let held = waiting
        waiting = []
        for notification in held { show(notification, by: connection) }
    }

    /// Receives a result from the program. An answer that the notification does not offer is ignored.
    package func report(_ request: ReportDesktop, from connection: ConnectionID) {
        guard connection == self.connection, let offered = shown[request.key]?.actions else { return }
        switch request.outcome {
        case .shown: receive(.shown, of: request.key)
        case .failed(let why): receive(.failed(why.first(bytes: Self.longestReason)), of: request.key)
        case .answered(let answer):
            guard answer.isAmong(offered), !answer.isTooLong else { return }
            receive(.answered(answer), of: request.key)
        }
    }

    /// Handles the end of the connection: its notifications can no longer be answered, and the next one starts the
    /// program again.
    package func connectionEnded(_ ended: ConnectionID) {
        guard ended == connection else { return }
        connection = nil
        let kept = Set(waiting.map(\.key))
        shown = shown.filter { kept.contains($0.key) }
        if !waiting.isEmpty { awaitProgram() }
    }
}
