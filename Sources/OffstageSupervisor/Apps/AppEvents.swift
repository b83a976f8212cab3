// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageRuntime

/// What has happened to apps and their rules have not been told yet. What happens while one is told comes after it.
///
/// Belongs to `AppCenter`; every call is on the loop.
package final class AppEvents {
    private let clock: SystemClock
    private var line: [(app: SupervisedApp, event: AppEvent)] = []
    private var isHandling = false
    private var sleep: MachineSleep
    /// Places that are kept for the next events; after a crowd they are given back.
    private static let kept = 64

    package init(clock: SystemClock) {
        self.clock = clock
        sleep = MachineSleep(suspended: clock.suspended())
    }

    /// Something has happened to an app; before it, to all that were launched, that the machine has slept.
    package func add(_ event: AppEvent, to app: SupervisedApp, among apps: [String: SupervisedApp]) {
        if !isHandling, let seconds = sleep.takeNew(suspended: clock.suspended()) {
            for app in apps.values where app.life.launchCause != nil { line.append((app, .machineSlept(seconds))) }
        }
        line.append((app, event))
    }

    /// Handles everything in line, and what is added meanwhile; does nothing when that is being done already, further up.
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
