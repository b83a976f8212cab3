// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// How far the ends that came while nobody listened have been fetched: page by page, no faster than they are told.
///
/// What is forgotten of ends that have been told depends on it: a page that was read before an acknowledgement was
/// committed still has that end. So there is one page under way at a time, none before the daemon has given the session
/// over the present connection, and a page that was asked for before that is none.
package struct EndsCursor: Sendable, Equatable {
    /// A page to be asked for.
    package struct Pull: Sendable, Equatable {
        package var number: Int
        /// The last end of the page before.
        package var after: TransferID?
    }

    /// Whether there may be more at the daemon.
    package private(set) var hasMore = false
    /// Fetched and not told yet.
    package var untold = 0
    /// Whether the daemon has given the session over the present connection.
    private var isOpen = false
    /// The page that is on its way.
    private var pull: Int?
    private var pulls = 0
    /// Whether one came about that pages may not have: the next is the first again.
    private var hasMissed = false
    /// The last one that was fetched.
    private var last: TransferID?
    /// Whether the session has been taken up before in this process.
    private var hasBegun = false
    /// Whether `urlSessionDidFinishEvents` is due after the last of them.
    private var owesFinish = false
    /// Whether the app is suspended and woken: then that is due only when it was called for the session's events.
    package let isSupervised: Bool
    /// Whether the daemon keeps the ends back until it says so.
    private var isWithheld = false
    /// Whether it has said so over the present connection: the answer to an older question may say otherwise.
    private var wasReleased = false

    /// As long as so many wait to be told, no more are fetched.
    package static let enough = 100

    package init(isSupervised: Bool = false) { self.isSupervised = isSupervised }

    package var isPulling: Bool { pull != nil }

    /// Whether nothing is left to be fetched, nor to be told after that.
    package var isExhausted: Bool { !hasMore && !isPulling && !isWithheld && !(isSupervised && owesFinish) }

    package var mayPull: Bool { isOpen && hasMore && pull == nil && untold < Self.enough }

    /// The daemon has given the session, over a new connection or for the first time: what it has is fetched from the
    /// first on.
    package mutating func opened(pendingEnds: Int, isWithheld: Bool = false) {
        isOpen = true
        pull = nil
        last = nil
        if isWithheld, !wasReleased {
            self.isWithheld = true
        } else {
            release()
        }
        hasMore = pendingEnds > 0 || hasMissed
        // What came while the daemon was gone and the app was not is told like any other end.
        if pendingEnds > 0, !hasBegun, !isSupervised { owesFinish = true }
        hasBegun = true
    }

    /// The app was called for the session's events: the daemon says when they come.
    package mutating func expect() {
        owesFinish = true
        isWithheld = true
    }

    /// The daemon keeps nothing back any more: what it has is fetched from the first on.
    package mutating func released() {
        wasReleased = true
        release()
        missed()
    }

    private mutating func release() {
        // Whether nothing is left is not taken from what was known before.
        if isWithheld, owesFinish { hasMissed = true }
        isWithheld = false
    }

    /// The connection has ended, and with it what was under way.
    package mutating func connectionLost() {
        isOpen = false
        pull = nil
        wasReleased = false
    }

    /// The page to ask for; nil when none is wanted now.
    package mutating func begin() -> Pull? {
        guard mayPull else { return nil }
        if hasMissed {
            hasMissed = false
            last = nil
        }
        pulls += 1
        pull = pulls
        return Pull(number: pulls, after: last)
    }

    /// A page could not be had.
    package mutating func failed(_ number: Int) {
        if pull == number { pull = nil }
    }

    /// A page has come.
    ///
    /// - Returns: whether it counts; one that was asked for over another connection does not.
    package mutating func came(
        _ number: Int,
        last: TransferID?,
        hasMore: Bool,
        isWithheld: Bool = false
    ) -> Bool {
        guard pull == number else { return false }
        pull = nil
        if isWithheld { self.isWithheld = true }
        self.last = last ?? self.last
        self.hasMore = hasMore || hasMissed
        return true
    }

    /// A task has ended of which nothing is known yet: what it was comes with the pages.
    package mutating func missed() {
        hasMissed = true
        hasMore = true
    }

    /// Whether the last of the kept ends has been handed on, for the first time.
    package mutating func takeFinish() -> Bool {
        guard owesFinish, isOpen, !hasMore, !isWithheld else { return false }
        owesFinish = false
        return true
    }
}
