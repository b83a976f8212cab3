// SPDX-License-Identifier: Apache-2.0

/// Limits for one connection to the daemon. The table in docs/limits.md has the same numbers.
package struct ConnectionBudget: Sendable, Hashable {
    /// The weight of simultaneous requests; no more are read until some are answered.
    package var requests = 64
    /// Unread bytes of a peer beyond which none of its further requests is started.
    package var unreadBeforePause = 256 << 10
    /// Unread bytes beyond which a peer is dropped.
    package var unread = 16 << 20
    /// Seconds from the first byte of a frame to its last; an app may take any time, because it may be suspended in the
    /// middle.
    package var secondsOfFrame = 30.0
    /// The most frames read from an ended process.
    package var framesOfTheDead = 16_384
    /// How often its socket is read.
    package var readsOfTheDead = 64
    /// Transfers that the connection may watch by number.
    package var watchedTransfers = 200_000

    package init() {}
}

/// Limits for the connections of one process together.
package struct ProcessBudget: Sendable, Hashable {
    package var connections = 128
    /// The weight of simultaneous requests.
    package var requests = 128
    /// Simultaneous requests about accounts, each on its own thread, and waiting requests.
    package var accountRequests = 2
    package var waitingAccountRequests = 8

    package init() {}
}

/// Limits for all connections together.
package struct SocketBudget: Sendable, Hashable {
    /// Connections other than those of apps.
    package var connections = 512
    /// The weight of simultaneous requests.
    package var requests = 512
    /// Each process without a request may always begin one lighter than this, whatever the others do.
    package var lightRequest = 16
    /// Bytes of incomplete frames and unread answers.
    package var bytes = 48 << 20
    /// Transfers that are watched by number.
    package var watchedTransfers = 1_000_000
    /// Simultaneous requests about accounts.
    package var accountRequests = 8
    /// Threads for work that may hang in the kernel, such as a look at a path on a mount that does not answer.
    package var loneThreads = 256
    /// Simultaneous threads of accounts, for requests and for transfers.
    package var accountThreads = 16
    /// Seconds in which requests are handled in one turn of the loop.
    package var secondsOfTurn = 0.004

    package init() {}
}
