// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Between the daemon and the desktop: shows what it is told to, and says what people do about it.
final class Notifier {
    private let daemon: DaemonConnection
    private let desktop: SessionBus
    /// By the desktop's number, the daemon's.
    private var keys: [UInt32: UInt64] = [:]

    /// Milliseconds after which one that shows nothing ends.
    private static let patience: Int32 = 60_000

    /// - Throws: when there is no session bus.
    init(_ daemon: DaemonConnection) throws {
        self.daemon = daemon
        desktop = try SessionBus()
    }

    /// Returns the process's exit status.
    func run() throws -> Int32 {
        _ = try daemon.send(AttachDesktop())
        while true {
            // What comes while an answer is waited for is not seen by poll(2) any more.
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

    /// Takes what has come from both sides; false when there was nothing.
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

    /// - Returns: whether anything was said.
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
            // Numbers of a server that is gone are forgotten before the next one's is kept.
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
            // Its end, which follows, is no removal by a person.
            keys[said.id] = nil
            let answer = action == SessionBus.defaultAction ? NotificationAnswer.defaultAction : action
            try report(key, answer)
        case .dismissed:
            keys[said.id] = nil
            try report(key, NotificationAnswer.dismissAction)
        // It is still in the app's list.
        case .gone, .restarted: keys[said.id] = nil
        }
    }

    private func report(_ key: UInt64, _ action: String) throws {
        _ = try daemon.send(ReportDesktop(key: key, outcome: .answered(NotificationAnswer(action: action))))
    }
}
