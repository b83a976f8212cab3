// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What is asked for in one turn of the loop shares one commit, and what arrives during that is the next: so the story
/// keeps its order whatever the store does.
extension AppCenter {
    func record(_ entry: AppEntry, of app: SupervisedApp) {
        batch.changes.append(.appEntry(app: app.id, entry))
        scheduleCommit()
    }

    func note(_ change: TransferChange) {
        batch.changes.append(change)
        scheduleCommit()
    }

    /// Has the registration made durable, with every entry before; `committed` is told then.
    func persist(_ app: SupervisedApp) {
        guard !app.isInBatch else { return }
        app.isInBatch = true
        batch.apps.append(app)
        scheduleCommit()
    }

    private func scheduleCommit() {
        guard !isCommitScheduled, !isCommitting else { return }
        isCommitScheduled = true
        // At the end of this turn: what else it asks for comes with it.
        loop.post { [weak self] in self?.assumeIsolated { $0.commit() } }
    }

    private func commit() {
        isCommitScheduled = false
        let batch = batch
        self.batch = AppBatch()
        for app in batch.apps {
            app.isInBatch = false
            app.isBeingCommitted = true
        }
        isCommitting = true
        loop.startTask {
            let isDurable = await write(batch)
            isCommitting = false
            for app in batch.apps { app.isBeingCommitted = false }
            if isDurable { committed(batch) }
            if self.batch.isEmpty { resumeAll(.durable) } else { scheduleCommit() }
        }
    }

    private func committed(_ batch: AppBatch) {
        for app in batch.apps where !app.isInBatch && !app.isForgotten {
            tell(.committed, to: app)
            // Nothing may have followed from it, and still somebody waits for this.
            happened(to: app)
        }
    }

    /// Commits until it succeeds; false when the daemon stops first.
    private func write(_ batch: AppBatch) async -> Bool {
        while true {
            // Registrations as they are now: a commit that is tried again must not bring an older one back.
            let registrations = batch.apps.filter { !$0.isForgotten }
                .map { TransferChange.putApp($0.life.registration) }
            do throws(StoreError) {
                try await store.commit(batch.changes + registrations)
                trouble = nil
                return true
            } catch {
                if trouble != error.sentence {
                    trouble = error.sentence
                    log(error.sentence)
                }
                if isStopping { return false }
                await queue.wait(seconds: 1)
            }
        }
    }
}
