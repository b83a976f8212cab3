// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The interface of apps for notifications.
extension AppCenter {
    /// Adds the outcome of a notification to an app's story.
    func recordNotification(_ headline: String, _ outcome: AppEntry.NotificationOutcome, of id: String) {
        guard let app = apps[id] else { return }
        records.add(AppEntry(at: clock.now(), .notified(headline: headline, outcome)), to: app)
    }

    /// Acts as if a person had clicked on the app's notification.
    func bringToFront(_ id: String) {
        guard let app = apps[id] else { return }
        launches.crashes.release(.app(id))
        send(.foreground, to: app)
    }

    /// The app's name for people.
    func name(of id: String) -> String { apps[id]?.life.registration.information.name ?? id }
}
