// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What is made durable of apps, all of it in order.
extension AppCenter {
    func record(_ entry: AppEntry, of app: SupervisedApp) { ledger.record(.appEntry(app: app.id, entry)) }

    func note(_ change: TransferChange) { ledger.record(change) }

    /// Has the registration made durable, with every entry before; `committed` is told then.
    func persist(_ app: SupervisedApp) {
        guard !ledger.isCollecting(app.commit) else { return }
        // As it is then: it may change before.
        app.commit = ledger.recordLatest { app.isForgotten ? nil : .putApp(app.life.registration) }
        ledger.follow { isDurable in if isDurable { self.committed(app) } }
    }

    private func committed(_ app: SupervisedApp) {
        guard !ledger.isCollecting(app.commit), !app.isForgotten else { return }
        tell(.committed, to: app)
        // Nothing may have followed from it, and still somebody waits for this.
        happened(to: app)
    }

    /// Whether everything that was to be durable of an app is.
    func isDurable(_ app: SupervisedApp) -> Bool { ledger.hasEnded(app.commit) }

    /// Waits until everything that was to be durable of an app is; false when the daemon stops first, or a connection ends.
    func waitUntilDurable(_ app: SupervisedApp) async -> Bool { await wait(.app(app) { self.isDurable($0) }) }
}
