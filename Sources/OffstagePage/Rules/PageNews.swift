// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol

/// What has happened since pages were told last: combined, so that they are told a few times a second, however much that is,
/// and the first of it at once. Seconds on a monotonic clock.
package struct PageNews: Sendable {
    /// What pages are told.
    package struct Bulletin: Sendable, Equatable {
        package var rows: [TransferRow] = []
        package var progress: [TransferEvent.Progress] = []
        package var removed: [TransferID] = []
        package var hasTasks = false
        /// More has changed than is told: lists have to be asked for again, and a snapshot follows.
        package var isCut = false
    }

    /// Seconds that the first piece of news waits for others that come with it.
    private static let gathering = 0.02
    /// Seconds between two bulletins.
    private static let interval = 0.1
    /// Seconds from a bulletin that was cut to the snapshot that makes up for it, and so between two of them.
    package static let rest = 1.0
    /// The most transfers in one bulletin.
    package static let mostRows = 100

    private var rows: [TransferID: TransferRow] = [:]
    private var progress: [TransferID: TransferEvent.Progress] = [:]
    private var removed: Set<TransferID> = []
    private var hasTasks = false
    private var isCut = false
    private var told = -Double.infinity
    /// When the next bulletin is due; nil when there is nothing to tell.
    package private(set) var due: Double?
    /// When pages have to be shown anew what is under way, since a bulletin was cut; nil for never.
    package private(set) var snapshotDue: Double?

    package init() {}

    package mutating func add(_ event: TransferEvent, now: Double) {
        switch event {
        case .changed(let row), .finished(let row):
            // One that ends at once begins and ends in one bulletin.
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

    /// Something about deferred work has changed.
    package mutating func tasksChanged(now: Double) {
        hasTasks = true
        plan(now)
    }

    /// What is to be told now; nil when it is not time.
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

    /// Whether pages have to be shown anew what is under way; said once.
    package mutating func takesSnapshot(now: Double) -> Bool {
        guard let snapshotDue, snapshotDue <= now else { return false }
        self.snapshotDue = nil
        return true
    }

    private mutating func plan(_ now: Double) {
        if due == nil { due = max(now + Self.gathering, told + Self.interval) }
    }
}
