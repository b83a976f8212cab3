// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageRuntime

/// Events of apps that their rules have not received yet. Events that occur while one is handled are queued after it.
///
/// Belongs to `AppCenter`; every call is on the loop.
package final class AppEvents {
    private let clock: SystemClock
    private var line: [(app: SupervisedApp, event: AppEvent)] = []
    private var isHandling = false
    private var sleep: MachineSleep
    /// The capacity kept for the next events; more is given back after a peak.
    private static let kept = 64

    package init(clock: SystemClock) {
        self.clock = clock
        sleep = MachineSleep(suspended: clock.suspended())
    }

    /// Adds an event of an app, preceded by the machine's sleep, if any, for all launched apps.
    package func add(_ event: AppEvent, to app: SupervisedApp, among apps: [String: SupervisedApp]) {
        if !isHandling, let seconds = sleep.takeNew(suspended: clock.suspended()) {
            for app in apps.values where app.life.launchCause != nil { line.append((app, .machineSlept(seconds))) }
        }
        line.append((app, event))
    }

    /// Handles all events, and those added in the meantime; does nothing if a caller is already doing so.
    package func handle(_ body: (SupervisedApp, AppEvent) -> Void) {
        guard !isHandling else { return }
        isHandling = true
        var next = 0
        while next < line.count {
            let (app, event) = line[next]
            next += 1
            body(app, event)
        }
        line.removeAll(keepingCapacity: line.capacity <= Self.kept)
        isHandling = false
    }
}
