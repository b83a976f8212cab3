// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Apps, as far as notifications need them.
extension AppCenter {
    /// Adds the outcome of a notification to an app's story.
    func recordNotification(_ headline: String, _ outcome: AppEntry.NotificationOutcome, of id: String) {
        guard let app = apps[id] else { return }
        records.add(AppEntry(at: clock.now(), .notified(headline: headline, outcome)), to: app)
    }

    /// Acts like a person who clicks on its notification.
    func bringToFront(_ id: String) {
        guard let app = apps[id] else { return }
        launches.crashes.release(.app(id))
        send(.foreground, to: app)
    }

    /// The app's name for people.
    func name(of id: String) -> String { apps[id]?.life.registration.information.name ?? id }
}
