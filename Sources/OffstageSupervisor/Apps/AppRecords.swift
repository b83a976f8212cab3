// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// What is durable of apps: their registrations, and their stories. All of it is written in the order in which it was
/// decided.
struct AppRecords: Sendable {
    private let store: any AppStore
    private let trouble: StoreTrouble
    private let ledger: Ledger<TransferChange>

    init(loop: EventLoop, store: any AppStore, trouble: StoreTrouble, log: Log) {
        self.store = store
        self.trouble = trouble
        ledger = Ledger(loop: loop, trouble: trouble, log: log) { changes throws(StoreError) in
            try await store.commit(changes)
        }
    }

    // MARK: Reading

    /// All registrations, however long that takes; nil when the daemon stops first.
    func apps(unless isStopping: () -> Bool) async -> [AppRegistration]? {
        await trouble.waitOut(.reading, unless: isStopping) { () throws(StoreError) in try await store.apps() }
    }

    /// Entries of the app's story, as `AppStore.appEntries` gives them.
    func entries(of app: String, after entry: Int64?, limit: Int) async throws(StoreError) -> [StoredAppEntry] {
        try await store.appEntries(of: app, after: entry, limit: limit)
    }

    // MARK: Writing

    /// Puts an entry into the app's story.
    func add(_ entry: AppEntry, to app: SupervisedApp) { ledger.record(.appEntry(app: app.id, entry)) }

    /// Has the registration made durable as it is then, with every entry before.
    ///
    /// `committed` is called on the loop once it is, unless it is to be written once more, or was forgotten.
    func put(_ app: SupervisedApp, committed: @escaping (SupervisedApp) -> Void) {
        guard !ledger.isCollecting(app.commit) else { return }
        // As it is then: it may change before.
        app.commit = ledger.recordLatest { app.isForgotten ? nil : .putApp(app.life.registration) }
        ledger.follow { isDurable in
            guard isDurable, !ledger.isCollecting(app.commit), !app.isForgotten else { return }
            committed(app)
        }
    }

    /// Deletes a registration and its story, and returns when that is durable; false when the daemon stops first.
    func delete(_ id: String) async -> Bool {
        ledger.record(.deleteApp(id))
        return await ledger.untilDurable()
    }

    /// Whether everything that was to be durable of an app is.
    func isDurable(_ app: SupervisedApp) -> Bool { ledger.hasEnded(app.commit) }

    func shutDown() async { await ledger.shutDown() }
}
