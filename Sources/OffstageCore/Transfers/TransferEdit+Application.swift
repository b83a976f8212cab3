// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The effect of an edit on a transfer that was handed over. A change to a transfer under way would contradict what
/// others have already been told, so only its priority, label and notifications can be changed then.
extension TransferEdit {
    /// Changes a transfer; only for an edit that `refusal(by:)` does not refuse.
    ///
    /// No secret goes to another server: header fields, credentials and certificates that are not known to be harmless
    /// were meant for the previous server.
    ///
    /// - Parameters:
    ///   - transfer: the transfer.
    ///   - now: the time.
    /// - Returns: the actions to carry out, and the values that were removed from the transfer, for people.
    package func apply(to transfer: inout Transfer, now: Moment) -> (actions: [TransferAction], dropped: [String]) {
        applyHarmless(to: &transfer.spec)
        var dropped: [String] = []
        var actions: [TransferAction] = []
        let hasMoved = url.map { $0 != transfer.spec.url } ?? false
        if let url, hasMoved {
            if !transfer.spec.url.hasOrigin(of: url) { dropped = transfer.spec.dropSecrets() }
            transfer.spec.url = url
            transfer.spec.collections = nil
            // With more than one address, the edit was refused.
            transfer.spec.mirrors = transfer.spec.mirrors.map { MirrorList([url], size: $0.size) }
            actions = transfer.forgetProgress()
        }
        return (actions + reconsider(&transfer, hasMoved: hasMoved, now: now), dropped)
    }

    /// Applies the changes that do not depend on the server.
    private func applyHarmless(to spec: inout TransferSpec) {
        if let priority { spec.priority = priority }
        if let label { spec.label = label.isEmpty ? nil : label }
        if let earliestBegin { spec.earliestBegin = earliestBegin }
        if let notify { spec.notify = notify }
        guard let path, case .download(var target) = spec.direction else { return }
        target.path = path
        // A person who names the file does not want the server to name it.
        target.remoteName = nil
        spec.direction = .download(target)
    }

    /// Adjusts the transfer's state to the edit.
    private func reconsider(_ transfer: inout Transfer, hasMoved: Bool, now: Moment) -> [TransferAction] {
        let date = earliestBegin
        switch transfer.state {
        case .queued:
            guard let date, date > now.wall else { return [.dequeue, .enqueue] }
            return [.dequeue] + transfer.wait(for: date, now: now)
        case .waiting(let wait):
            switch wait.cause {
            case .retry, .credentials, .account:
                if let date, date > now.wall { return transfer.wait(for: date, now: now) }
                return hasMoved ? transfer.goOn(now: now) : []
            case .earliestBegin:
                guard let date else { return [] }
                return date > now.wall ? transfer.wait(for: date, now: now) : transfer.beginDateCame(now: now)
            case .predecessors, .delegate, .keeper, .setAside, .unreadable: return []
            }
        case .running, .saving, .paused, .finished: return []
        }
    }
}

extension Transfer {
    /// Waits for a begin date.
    fileprivate mutating func wait(for date: Date, now: Moment) -> [TransferAction] {
        state = .waiting(.init(cause: .earliestBegin(date), since: now.wall))
        // As for a transfer that had this date from the beginning, the timeout is not running yet.
        expiry = nil
        return [.wakeAt(date)]
    }

    /// Forgets the answers and data of another server, which are no longer useful.
    fileprivate mutating func forgetProgress() -> [TransferAction] {
        past.forgetServer()
        bytesDone = 0
        dialectMemory = nil
        spec.keptUpload = nil
        guard !spec.isUpload else { return [] }
        partial = nil
        bytesTotal = nil
        spec.resumesFrom = nil
        spec.resumePartial = nil
        return [.deletePartialFile]
    }
}

extension String {
    /// The directory of a path.
    var directory: String { lastSlash.map { $0 == startIndex ? "/" : String(self[..<$0]) } ?? "/" }
}
