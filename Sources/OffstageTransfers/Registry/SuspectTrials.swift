// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Transfers that were running when the daemon crashed: they are begun one at a time, alongside transfers that are not
/// suspected.
package struct SuspectTrials {
    package private(set) var line: [TransferID] = []
    /// The suspect that is being tried.
    package private(set) var current: TransferID?

    package init() {}

    /// Puts a suspect in line.
    package mutating func add(_ id: TransferID) {
        if current != id, !line.contains(id) { line.append(id) }
    }

    /// The next suspect to begin, if no other is being tried.
    package mutating func next() -> TransferID? {
        guard current == nil, !line.isEmpty else { return nil }
        current = line.removeFirst()
        return current
    }

    /// Ends a suspect's wait and its trial.
    ///
    /// - Returns: whether it was being tried.
    package mutating func end(_ id: TransferID) -> Bool {
        line.removeAll { $0 == id }
        guard current == id else { return false }
        current = nil
        return true
    }

    package func isInLine(_ id: TransferID) -> Bool { !line.isEmpty && line.contains(id) }
}
