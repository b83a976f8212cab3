// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Transfers that were running at crashes of the daemon: one at a time is begun, beside those that nobody suspects.
struct SuspectTrials {
    private(set) var line: [TransferID] = []
    /// Who is being tried.
    private(set) var current: TransferID?

    /// Puts a suspect in line.
    mutating func add(_ id: TransferID) {
        if current != id, !line.contains(id) { line.append(id) }
    }

    /// The next to be begun, if nobody is being tried.
    mutating func next() -> TransferID? {
        guard current == nil, !line.isEmpty else { return nil }
        current = line.removeFirst()
        return current
    }

    /// The suspect waits no more, and its trial is over.
    ///
    /// - Returns: whether it was the one that was being tried.
    mutating func end(_ id: TransferID) -> Bool {
        line.removeAll { $0 == id }
        guard current == id else { return false }
        current = nil
        return true
    }

    func isInLine(_ id: TransferID) -> Bool { !line.isEmpty && line.contains(id) }
}
