// SPDX-License-Identifier: Apache-2.0

/// Chooses the connection that makes room when the limit is reached, so that a command is never kept out.
package enum ConnectionRoll {
    package struct Entry: Sendable {
        package var id: UInt64
        package var process: Int32
        package var hasSaidHello: Bool
        /// Whether one of its requests is being worked on.
        package var isBusy: Bool
        /// Grows whenever any connection is served.
        package var lastServed: UInt64

        package init(id: UInt64, process: Int32, hasSaidHello: Bool, isBusy: Bool, lastServed: UInt64) {
            self.id = id
            self.process = process
            self.hasSaidHello = hasSaidHello
            self.isBusy = isBusy
            self.lastServed = lastServed
        }
    }

    /// The connection that makes room for one of `newcomer`: one that never sent its hello, or otherwise the one silent
    /// longest among those of the process with the most connections. Nil if that is the newcomer's process.
    package static func victim(among entries: [Entry], for newcomer: Int32) -> UInt64? {
        if let silent = entries.filter({ !$0.hasSaidHello }).min(by: { $0.id < $1.id }) { return silent.id }
        let counts = Dictionary(entries.map { ($0.process, 1) }, uniquingKeysWith: +)
        let most = counts.values.max() ?? 0
        guard most > counts[newcomer, default: 0] else { return nil }
        return entries.filter { counts[$0.process] == most }
            .min { ($0.isBusy ? 1 : 0, $0.lastServed, $0.id) < ($1.isBusy ? 1 : 0, $1.lastServed, $1.id) }?.id
    }
}
