// SPDX-License-Identifier: Apache-2.0
import OffstageProtocol
import OffstageRuntime
import OffstageTestSupport
import OffstageWork
import Testing

@Suite struct `The link to a desktop` {
    private typealias Step = @Sendable (isolated DesktopLink) -> Void

    /// Carries out steps in one turn of a loop, and their consequences in the following turns.
    private func titles(shownAfter steps: Step...) throws -> [String] {
        let loop = try EventLoop()
        let link = DesktopLink(loop: loop) { nil }
        let shown = Monitor<[String]>([])
        loop.post {
            link.assumeIsolated { link in
                link.setServer { command, _ in
                    if case .show(let notification) = command { shown.withLock { $0.append(notification.title) } }
                }
                for step in steps { step(link) }
            }
            loop.post { loop.stop() }
        }
        loop.run()
        return shown.withLock { $0 }
    }

    private func show(_ title: String) -> Step {
        { link in
            let content = DesktopNotification(
                key: 0,
                appName: "Plants",
                title: title,
                body: "",
                actions: [],
                urgency: 1,
                isSilent: false
            )
            link.show(content, DesktopLink.Key(app: "plants", identifier: title))
        }
    }

    private func attach(_ connection: UInt64) -> Step { { $0.attach(connection) } }

    private func end(_ connection: UInt64) -> Step { { $0.connectionEnded(connection) } }

    @Test func `what comes while the program connects is shown behind what waited for it`() throws {
        let shown = try titles(shownAfter: show("one"), attach(7), show("two"), show("three"))
        #expect(shown == ["one", "two", "three"])
    }

    @Test func `what waits outlives a program that ends as soon as it has connected`() throws {
        let shown = try titles(shownAfter: show("one"), attach(7), end(7), attach(8), show("two"))
        #expect(shown == ["one", "two"])
    }
}
