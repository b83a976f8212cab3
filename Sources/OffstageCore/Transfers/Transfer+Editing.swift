// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A person's changes to a transfer that was handed over. A change to one under way would contradict what somebody else
/// has been told: only its priority and label can be changed then.
extension Transfer {
    /// Applies an edit that `TransferEdit.refusal(by:)` does not refuse.
    ///
    /// No secret goes to another server: header fields, credentials and certificates that are not known to be harmless
    /// were meant for the previous server.
    ///
    /// - Returns: the actions to carry out, and what was removed from the transfer, for people.
    package mutating func edit(_ edit: TransferEdit, now: Moment) -> (actions: [TransferAction], dropped: [String]) {
        spec.applyHarmless(edit)
        var dropped: [String] = []
        var actions: [TransferAction] = []
        let hasMoved = edit.url.map { $0 != spec.url } ?? false
        if let url = edit.url, hasMoved {
            if !spec.url.hasOrigin(of: url) { dropped = spec.dropSecrets() }
            spec.url = url
            spec.collections = nil
            // With more than one address, the edit was refused.
            spec.mirrors = spec.mirrors.map { MirrorList([url], size: $0.size) }
            actions = forgetProgress()
        }
        return (actions + reconsider(hasMoved: hasMoved, date: edit.earliestBegin, now: now), dropped)
    }

    /// Adjusts the state to an edit.
    private mutating func reconsider(hasMoved: Bool, date: Date?, now: Moment) -> [TransferAction] {
        switch state {
        case .queued:
            guard let date, date > now.wall else { return [.dequeue, .enqueue] }
            return [.dequeue] + wait(for: date, now: now)
        case .waiting(let wait):
            switch wait.cause {
            case .retry, .credentials, .account:
                if let date, date > now.wall { return self.wait(for: date, now: now) }
                return hasMoved ? goOn(now: now) : []
            case .earliestBegin:
                guard let date else { return [] }
                return date > now.wall ? self.wait(for: date, now: now) : beginDateCame(now: now)
            case .predecessors, .delegate, .setAside, .unreadable: return []
            }
        case .running, .saving, .paused, .finished: return []
        }
    }

    private mutating func wait(for date: Date, now: Moment) -> [TransferAction] {
        state = .waiting(.init(cause: .earliestBegin(date), since: now.wall))
        // As for a transfer with this date from the beginning, the timeout does not run yet.
        expiry = nil
        return [.wakeAt(date)]
    }

    /// Another server's answers and data are of no use any more.
    private mutating func forgetProgress() -> [TransferAction] {
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

extension RequestURL {
    /// Whether requests to both go to the same server (RFC 6454).
    package func hasOrigin(of other: RequestURL) -> Bool {
        (scheme, host, port) == (other.scheme, other.host, other.port)
    }

    /// The server, without a path: `https://files.example:8443`, with the port if the URL has one.
    package var origin: String {
        "\(scheme)://\(unredacted.dropFirst(scheme.utf8.count + 3).prefix { !"/?#".contains($0) })"
    }
}

extension String {
    /// The directory of a path.
    var directory: String { lastSlash.map { $0 == startIndex ? "/" : String(self[..<$0]) } ?? "/" }
}

extension TransferSpec {
    /// Applies what does not depend on the server.
    fileprivate mutating func applyHarmless(_ edit: TransferEdit) {
        if let priority = edit.priority { self.priority = priority }
        if let label = edit.label { self.label = label.isEmpty ? nil : label }
        if let date = edit.earliestBegin { earliestBegin = date }
        if let notify = edit.notify { self.notify = notify }
        guard let path = edit.path, case .download(var target) = direction else { return }
        target.path = path
        // A person who names the file does not want the server to.
        target.remoteName = nil
        direction = .download(target)
    }

    /// Removes what was meant for one server alone.
    ///
    /// - Returns: the names of what was removed, for people.
    mutating func dropSecrets() -> [String] {
        var dropped = headers.filter { !HarmlessHeaders.travels($0.name) }.map(\.name)
        headers.removeAll { !HarmlessHeaders.travels($0.name) }
        if credentials != nil { dropped.append("the user's name and password") }
        credentials = nil
        if pinnedKey != nil { dropped.append("the server's key") }
        pinnedKey = nil
        if connection?.certificatePath != nil { dropped.append("the client's certificate") }
        connection?.certificatePath = nil
        connection?.keyPath = nil
        if connection?.acceptsAnyCertificate != nil { dropped.append("the permission to accept any certificate") }
        connection?.acceptsAnyCertificate = nil
        if connection?.isUsual == true { connection = nil }
        setContentTypeOfForm()
        return dropped
    }
}
