// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageClient
import OffstageCore
import OffstageProtocol

/// The link between the daemon and the desktop: shows the daemon's notifications, and reports how people respond.
final class Notifier {
    private let daemon: DaemonConnection
    private let desktop: SessionBus
    /// The daemon's numbers, by the desktop's.
    private var keys: [UInt32: UInt64] = [:]

    /// Milliseconds after which a notifier that shows nothing exits.
    private static let patience: Int32 = 60_000

    /// - Throws: if there is no session bus.
    init(_ daemon: DaemonConnection) throws {
        self.daemon = daemon
        desktop = try SessionBus()
    }

    /// Returns the process's exit status.
    func run() throws -> Int32 {
        _ = try daemon.send(AttachDesktop())
        while true {
            // poll(2) does not report messages that arrive while waiting for an answer.
            while try runTurn() {}
            var entries = [
                pollfd(fd: daemon.fileDescriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: desktop.descriptor, events: desktop.events, revents: 0),
            ]
            let wait = desktop.timeout < 0 ? Self.patience : min(desktop.timeout, Self.patience)
            let count = poll(&entries, 2, wait)
            if count == 0, keys.isEmpty, wait == Self.patience { return 0 }
            // checked: an array of two
            if entries[0].revents != 0 { try daemon.receive() }
        }
    }

    /// Processes messages from both sides; false if there were none.
    private func runTurn() throws -> Bool {
        let frames = daemon.takeFrames()
        for frame in frames where frame.name == DesktopCommand.name {
            guard let command = try? WireCoding.decodeFromDaemon(DesktopCommand.self, from: frame.payload) else {
                continue
            }
            try carryOut(command)
        }
        try desktop.process()
        let hasSaid = try reportSaid()
        return !frames.isEmpty || hasSaid
    }

    /// - Returns: whether anything was reported.
    @discardableResult
    private func reportSaid() throws -> Bool {
        let said = desktop.takeSaid()
        for each in said { try report(each) }
        return !said.isEmpty
    }

    private func carryOut(_ command: DesktopCommand) throws {
        switch command {
        case .show(let notification):
            let shown = desktop.show(notification)
            // Numbers of a server that is gone are dropped before the next server's number is stored.
            try reportSaid()
            switch shown {
            case .success(let id):
                keys[id] = notification.key
                _ = try daemon.send(ReportDesktop(key: notification.key, outcome: .shown))
            case .failure(let trouble):
                _ = try daemon.send(ReportDesktop(key: notification.key, outcome: .failed(trouble.sentence)))
            }
        case .close(let key):
            for (id, other) in keys where other == key {
                keys[id] = nil
                desktop.withdraw(id)
            }
        }
    }

    private func report(_ said: SessionBus.Said) throws {
        if case .restarted = said.what { keys = [:] }
        guard let key = keys[said.id] else { return }
        switch said.what {
        case .chosen(let action):
            // The closing that follows is not a removal by a person.
            keys[said.id] = nil
            let answer = action == SessionBus.defaultAction ? NotificationAnswer.defaultAction : action
            try report(key, answer)
        case .dismissed:
            keys[said.id] = nil
            try report(key, NotificationAnswer.dismissAction)
        // The notification is still in the app's list.
        case .gone, .restarted: keys[said.id] = nil
        }
    }

    private func report(_ key: UInt64, _ action: String) throws {
        _ = try daemon.send(ReportDesktop(key: key, outcome: .answered(NotificationAnswer(action: action))))
    }
}
