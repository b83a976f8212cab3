// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// How far the ends that came while nobody listened have been fetched: page by page, no faster than they are told.
struct EndsCursor: Sendable, Equatable {
    /// Whether there may be more at the daemon.
    var hasMore = false
    var isPulling = false
    /// Whether one came about while a page was on its way, which may have been read before.
    var hasMoreSince = false
    /// The last one that was fetched.
    var last: TransferID?
    /// Fetched and not told yet.
    var untold = 0
    /// Whether the session has been taken up before in this process.
    var hasBegun = false
    /// Whether `urlSessionDidFinishEvents` is due after the last of them.
    var owesFinish = false

    /// As long as so many wait to be told, no more are fetched.
    static let enough = 100

    var mayPull: Bool { hasMore && !isPulling && untold < Self.enough }
}
