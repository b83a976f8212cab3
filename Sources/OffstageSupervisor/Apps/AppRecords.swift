// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// The durable part of apps: their registrations and stories, written in the order in which they were decided.
struct AppRecords: Sendable {
    private let store: any AppStore
    private let trouble: StoreTrouble
    private let ledger: Ledger<TransferChange>
    /// Records spans for the timeline.
    let chronicle: ChronicleRecorder

    init(loop: EventLoop, store: any AppStore, trouble: StoreTrouble, chronicle: ChronicleRecorder) {
        self.store = store
        self.chronicle = chronicle
        self.trouble = trouble
        ledger = Ledger(loop: loop, trouble: trouble) { changes throws(StoreError) in
            try await store.commit(changes)
        }
    }

    // MARK: Reading

    /// All registrations, however long that takes; nil if the daemon stops first.
    func apps(unless isStopping: () -> Bool) async -> [AppRegistration]? {
        await trouble.waitOut(.reading, unless: isStopping) { () throws(StoreError) in try await store.apps() }
    }

    /// Entries of the app's story, as from `AppStore.appEntries`.
    func entries(of app: String, after entry: Int64?, limit: Int) async throws(StoreError) -> [StoredAppEntry] {
        try await store.appEntries(of: app, after: entry, limit: limit)
    }

    // MARK: Writing

    /// Adds an entry to the app's story.
    func add(_ entry: AppEntry, to app: SupervisedApp) { ledger.record(.appEntry(app: app.id, entry)) }

    /// Makes the registration durable in its state at the time of writing, with every entry before it.
    ///
    /// `committed` is called on the loop afterwards, unless the registration will be written again, or was forgotten.
    func put(_ app: SupervisedApp, committed: @escaping (SupervisedApp) -> Void) {
        guard !ledger.isCollecting(app.commit) else { return }
        // Evaluated at the time of writing, because it may change before then.
        app.commit = ledger.recordLatest { app.isForgotten ? nil : .putApp(app.life.registration) }
        ledger.follow { isDurable in
            guard isDurable, !ledger.isCollecting(app.commit), !app.isForgotten else { return }
            committed(app)
        }
    }

    /// Deletes a registration and its story, and returns when that is durable; false if the daemon stops first.
    func delete(_ id: String) async -> Bool {
        ledger.record(.deleteApp(id))
        return await ledger.untilDurable()
    }

    /// Whether all changes of an app are durable.
    func isDurable(_ app: SupervisedApp) -> Bool { ledger.isDurable(app.commit) }

    func shutDown() async { await ledger.shutDown() }
}
