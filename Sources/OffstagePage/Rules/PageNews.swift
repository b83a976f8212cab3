// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol

/// The changes since the last update of pages. They are combined, so pages are updated a few times a second, however
/// much happens, and promptly after a quiet time. Times are seconds on a monotonic clock.
package struct PageNews: Sendable {
    /// An update for pages.
    package struct Bulletin: Sendable, Equatable {
        package var rows: [TransferRow] = []
        package var progress: [TransferEvent.Progress] = []
        package var removed: [TransferID] = []
        package var hasTasks = false
        /// Some changes were left out: lists must be requested again, and a snapshot follows.
        package var isCut = false
    }

    /// Seconds that the first change waits for others that come with it.
    private static let gathering = 0.02
    /// Seconds between two bulletins.
    private static let interval = 0.1
    /// Seconds from a truncated bulletin to the snapshot that makes up for it, and hence between two snapshots.
    package static let rest = 1.0
    /// The most transfers in one bulletin.
    package static let mostRows = 100

    private var rows: [TransferID: TransferRow] = [:]
    private var progress: [TransferID: TransferEvent.Progress] = [:]
    private var removed: Set<TransferID> = []
    private var hasTasks = false
    private var isCut = false
    private var told = -Double.infinity
    /// When the next bulletin is due; nil if nothing has changed.
    package private(set) var due: Double?
    /// When pages need a new snapshot, since a bulletin was truncated; nil if they need none.
    package private(set) var snapshotDue: Double?

    package init() {}

    package mutating func add(_ event: TransferEvent, now: Double) {
        switch event {
        case .changed(let row), .finished(let row):
            // A transfer that ends immediately begins and ends in one bulletin.
            if rows[row.id] != nil || rows.count < Self.mostRows { rows[row.id] = row } else { isCut = true }
            if case .finished = event { progress[row.id] = nil }
            removed.remove(row.id)
        case .progress(let all):
            for one in all { progress[one.id] = one }
        case .removed(let id):
            (rows[id], progress[id]) = (nil, nil)
            if removed.count < Self.mostRows { removed.insert(id) } else { isCut = true }
        }
        plan(now)
    }

    /// Records a change in deferred work.
    package mutating func tasksChanged(now: Double) {
        hasTasks = true
        plan(now)
    }

    /// The bulletin to send now; nil if none is due.
    package mutating func bulletin(now: Double) -> Bulletin? {
        guard let due, due <= now else { return nil }
        let bulletin = Bulletin(
            rows: rows.values.sorted { $0.id > $1.id },
            progress: progress.values.sorted { $0.id > $1.id },
            removed: removed.sorted(),
            hasTasks: hasTasks,
            isCut: isCut
        )
        let snapshotDue = self.snapshotDue ?? (isCut ? now + Self.rest : nil)
        self = PageNews()
        (told, self.snapshotDue) = (now, snapshotDue)
        return bulletin
    }

    /// Whether pages need a new snapshot now. Returns true only once.
    package mutating func takesSnapshot(now: Double) -> Bool {
        guard let snapshotDue, snapshotDue <= now else { return false }
        self.snapshotDue = nil
        return true
    }

    private mutating func plan(_ now: Double) {
        if due == nil { due = max(now + Self.gathering, told + Self.interval) }
    }
}
