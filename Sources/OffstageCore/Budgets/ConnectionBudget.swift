// SPDX-License-Identifier: Apache-2.0

/// What one connection to the daemon may take. The table in docs/limits.md has the same numbers.
package struct ConnectionBudget: Sendable, Hashable {
    /// The weights of the requests that are worked on at a time; more are not read until some are answered.
    package var requests = 64
    /// While a peer leaves more than this unread, nothing more of what it asks is begun. Bytes.
    package var unreadBeforePause = 256 << 10
    /// A peer that leaves more than this unread is dropped. Bytes.
    package var unread = 16 << 20
    /// How long a frame may take from its first byte to its last. Seconds; an app may take any time, since it may be
    /// stopped in the middle.
    package var secondsOfFrame = 30.0
    /// Frames that are read of a process which is no more.
    package var framesOfTheDead = 16_384
    /// Transfers that it may watch by number.
    package var watchedTransfers = 200_000

    package init() {}
}

/// What the connections of one process may take together.
package struct ProcessBudget: Sendable, Hashable {
    package var connections = 128
    /// The weights of the requests that are worked on at a time.
    package var requests = 128
    /// Requests about accounts that are worked on at a time, each on a thread, and those that wait for it.
    package var accountRequests = 2
    package var waitingAccountRequests = 8

    package init() {}
}

/// What all connections may take together.
package struct SocketBudget: Sendable, Hashable {
    /// Connections besides those of apps.
    package var connections = 512
    /// The weights of the requests that are worked on at a time.
    package var requests = 512
    /// Of a request that is lighter, one is begun for every process, whatever the others do.
    package var lightRequest = 16
    /// What is held of frames that are not whole, and of answers that nobody reads. Bytes.
    package var bytes = 48 << 20
    /// Transfers that are watched by number.
    package var watchedTransfers = 1_000_000
    /// Requests about accounts that are worked on at a time.
    package var accountRequests = 8
    /// Threads for what may hang in the kernel, such as a look at a path on a mount that does not answer.
    package var loneThreads = 256
    /// Threads that accounts have at a time, for requests and for transfers.
    package var accountThreads = 16
    /// How long requests are taken up in one turn of the loop. Seconds.
    package var secondsOfTurn = 0.004

    package init() {}
}
