// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
import OffstageProtocol
package import OffstageRuntime

/// Announces the news of transfers on the desktop, as `NewsBundles` decides. Without a desktop nothing is shown, and
/// nothing waits for one.
///
/// Runs on the daemon's loop.
package actor TransferAnnouncer {
    nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let desktop: DesktopLink
    private let alarm: EventLoop.Alarm
    private var bundles = NewsBundles()

    /// Used instead of an app's identifier, none of which contains a blank.
    private static let owner = "offstage transfers"

    package init(loop: EventLoop, desktop: DesktopLink) {
        self.loop = loop
        self.desktop = desktop
        alarm = loop.makeAlarm()
    }

    package func start() {
        loop.onAlarm(alarm) { [weak self] in self?.assumeIsolated { $0.look() } }
    }

    /// Adds news, which is shown soon.
    package func announce(_ news: TransferNews) {
        bundles.add(news, now: loop.uptime)
        loop.setAlarm(alarm, uptime: bundles.nextLook)
    }

    private func look() {
        for notice in bundles.removeDue(now: loop.uptime) { show(notice) }
        loop.setAlarm(alarm, uptime: bundles.nextLook)
    }

    private func show(_ notice: NewsBundles.Notice) {
        let shown = DesktopNotification(
            key: 0,
            appName: "Offstage",
            title: notice.title,
            body: notice.body,
            actions: [],
            opensApp: false,
            urgency: 1,
            isSilent: false
        )
        desktop.assumeIsolated { $0.show(shown, DesktopLink.Key(app: Self.owner, identifier: notice.key)) }
    }
}
