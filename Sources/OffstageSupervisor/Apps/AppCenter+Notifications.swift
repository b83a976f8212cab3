// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What notifications need of apps.
extension AppCenter {
    /// Puts into an app's story what became of a notification.
    func noteNotification(_ headline: String, _ outcome: AppEntry.NotificationOutcome, of id: String) {
        guard let app = apps[id] else { return }
        records.add(AppEntry(at: clock.now(), .notified(headline: headline, outcome)), to: app)
    }

    /// As a person does who clicks on what it shows.
    func bringToFront(_ id: String) {
        guard let app = apps[id] else { return }
        crashes.release(.app(id))
        tell(.foreground, to: app)
    }

    /// What people call the app.
    func name(of id: String) -> String { apps[id]?.life.registration.information.name ?? id }
}
