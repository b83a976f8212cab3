// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol

/// The state of the transfers that a command follows: a value that events change.
package struct FollowedTransfers: Sendable {
    /// The meaning of an event.
    package enum Change: Sendable, Equatable {
        /// The state or the reason has changed.
        case changed(TransferRow)
        case progressed(TransferRow)
        case finished(TransferRow)
        /// It no longer exists, and no more events will come.
        case removed(TransferID)
    }

    package let ids: [TransferID]
    package private(set) var rows: [TransferID: TransferRow] = [:]
    package private(set) var unfinished: Set<TransferID>
    /// The transfers with an attempt under way, in the order in which they began.
    package private(set) var running: [TransferID] = []
    package private(set) var removed: Set<TransferID> = []

    package init(_ ids: [TransferID]) {
        self.ids = ids
        unfinished = Set(ids)
    }

    /// Applies a current row.
    package mutating func apply(_ row: TransferRow) -> Change? {
        guard unfinished.contains(row.id) else { return nil }
        let before = rows.updateValue(row, forKey: row.id)
        if row.kind == .running {
            if !running.contains(row.id) { running.append(row.id) }
        } else {
            running.removeAll { $0 == row.id }
        }
        if row.kind == .finished {
            unfinished.remove(row.id)
            return .finished(row)
        }
        if let before, before.kind == row.kind, before.reason.code == row.reason.code, before.attempts == row.attempts {
            return .progressed(row)
        }
        return .changed(row)
    }

    /// Applies an event; other transfers' events change nothing.
    package mutating func apply(_ event: TransferEvent) -> [Change] {
        switch event {
        case .changed(let row), .finished(let row):
            return apply(row).map { [$0] } ?? []
        case .progress(let all):
            return all.compactMap { progress in
                guard unfinished.contains(progress.id), var row = rows[progress.id] else { return nil }
                row.bytesDone = progress.bytesDone
                row.bytesTotal = progress.bytesTotal ?? row.bytesTotal
                row.rate = progress.rate
                row.standing = progress.standing
                rows[progress.id] = row
                return .progressed(row)
            }
        case .removed(let id):
            guard unfinished.remove(id) != nil else { return [] }
            running.removeAll { $0 == id }
            removed.insert(id)
            return [.removed(id)]
        }
    }

    /// `3000 transfers: 2998 done, 1 failed, 1 cancelled`.
    package var summary: String {
        var counts: [String: Int] = [:]
        for row in rows.values {
            let isError = (row.status ?? 0) >= 400
            switch row.result {
            case .completed where row.reason.cause == .leftOut: counts["left out", default: 0] += 1
            case .completed: counts[isError ? "failed" : "done", default: 0] += 1
            case .failed: counts["failed", default: 0] += 1
            case .cancelled: counts["cancelled", default: 0] += 1
            case nil: break
            }
        }
        if !removed.isEmpty { counts["forgotten"] = removed.count }
        let parts = ["done", "left out", "failed", "cancelled", "forgotten"].compactMap { word in
            counts[word].map { "\($0) \(word)" }
        }
        return "\(ids.count) transfers: \(parts.joined(separator: ", "))"
    }

    /// The exit status once all have ended. Any other failure takes precedence over status 400 or above.
    package var exitStatus: ExitStatus {
        var hasHTTPError = false
        var hasFailure = !removed.isEmpty
        for row in rows.values where row.kind == .finished {
            if let status = row.status, status >= 400 {
                hasHTTPError = true
            } else if row.result != .completed {
                hasFailure = true
            }
        }
        return hasFailure ? .failure : hasHTTPError ? .httpError : .success
    }
}
