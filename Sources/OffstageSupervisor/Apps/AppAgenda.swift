// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageRuntime

/// When each app is due next, because its rule waits for a time, or because of a check that must be polled for lack of
/// notifications. Times are seconds on the boot-time clock.
///
/// Belongs to `AppCenter`; every call is on the loop.
package final class AppAgenda {
    /// Something to check later about one process of an app.
    package struct Chore: Equatable {
        package enum Kind: Equatable {
            /// Check whether it is stopped.
            case observe
            /// Check whether it has stopped itself and another process group has the terminal.
            case behindTerminal(ShellWait)

            var isObservation: Bool { self == .observe }
        }

        package var due: Double
        package var kind: Kind
        package var app: String
        package var process: ProcessIdentity

        package init(due: Double, kind: Kind, app: String, process: ProcessIdentity) {
            (self.due, self.kind, self.app, self.process) = (due, kind, app, process)
        }
    }

    private let alarm: TurnAlarm
    private var looks: [String: Double] = [:]
    private var chores: [Chore] = []

    package init(loop: EventLoop) { alarm = TurnAlarm(loop: loop) }

    /// - Parameter ring: called on the loop when something is due.
    package func start(_ ring: @escaping () -> Void) {
        alarm.start(times: { [weak self] in (self?.next, nil) }, ring: ring)
    }

    /// The time when something is due next; nil if nothing is.
    package var next: Double? { [looks.values.min(), chores.lazy.map(\.due).min()].compactMap { $0 }.min() }

    /// Makes the app's rule due at `due`; nil for never.
    package func setLook(at due: Double?, of app: String) {
        looks[app] = due
        alarm.changed()
    }

    /// Removes and returns the apps whose rules are due.
    package func takeDueLooks(at uptime: Double) -> [String] {
        let apps = looks.filter { $0.value <= uptime }.map(\.key)
        for app in apps { looks[app] = nil }
        alarm.changed()
        return apps
    }

    /// Removes and returns the checks that are due, in the order in which they were added.
    package func takeDueChores(at uptime: Double) -> [Chore] {
        let due = chores.filter { $0.due <= uptime }
        chores.removeAll { $0.due <= uptime }
        alarm.changed()
        return due
    }

    /// Adds a check, replacing an earlier one of its kind.
    package func add(_ chore: Chore) {
        chores.removeAll { $0.app == chore.app && $0.kind.isObservation == chore.kind.isObservation }
        chores.append(chore)
        alarm.changed()
    }

    /// Whether the app's shell is already being watched for taking the terminal.
    package func looksBehindTerminal(_ app: String) -> Bool {
        chores.contains { $0.app == app && !$0.kind.isObservation }
    }

    /// Removes all checks of an app that no longer has a process.
    package func removeChores(of app: String) {
        chores.removeAll { $0.app == app }
        alarm.changed()
    }
}
