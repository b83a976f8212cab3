// SPDX-License-Identifier: Apache-2.0
import OffstageProtocol
import OffstageRuntime
import OffstageTestSupport
import OffstageWork

/// A desktop that immediately shows what it is sent.
///
/// `@unchecked Sendable`: belongs to the loop.
final class StandInDesktop: @unchecked Sendable {
    let link: DesktopLink
    private let loop: EventLoop
    private(set) var shown: [DesktopNotification] = []
    private(set) var closed: [UInt64] = []

    init(loop: EventLoop) {
        self.loop = loop
        link = DesktopLink(loop: loop) { nil }
    }

    var titles: [String] { shown.map(\.title) }

    func start() {
        link.assumeIsolated { link in
            link.setServer { [weak self] command, _ in self?.receive(command) }
            link.attach(1)
        }
    }

    private func receive(_ command: DesktopCommand) {
        switch command {
        case .show(let notification):
            shown.append(notification)
            report(.shown, of: notification.key)
        case .close(let key): closed.append(key)
        }
    }

    /// What a person does with a notification; reported later, as by a program.
    func report(_ outcome: ReportDesktop.Outcome, of key: UInt64) {
        let link = link
        loop.post { link.assumeIsolated { $0.report(ReportDesktop(key: key, outcome: outcome), from: 1) } }
    }
}
