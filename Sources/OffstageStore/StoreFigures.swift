// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore
import Synchronization

/// Measurements of a store: its commits, and the sizes of its files.
final class StoreFigures: Sendable {
    private let commitTimes = Mutex(Histogram(.commits))

    /// Records a durable commit and its duration.
    func committed(in time: Duration) { commitTimes.withLock { $0.observe(time / .seconds(1)) } }

    var commits: Histogram { commitTimes.withLock { $0 } }
}

extension SQLiteStore {
    /// How long commits have taken since the start.
    package var commits: Histogram { figures.commits }

    /// The sizes of the store's file and its write-ahead log, in bytes; accesses the disk.
    package var sizes: (store: Int64, log: Int64) { (Self.size(of: path), Self.size(of: path + "-wal")) }

    private static func size(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? max(0, Int64(clamping: status.st_size)) : 0
    }
}
