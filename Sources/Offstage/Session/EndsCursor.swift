// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Tracks how many of the ends that occurred while no process was listening have been fetched: page by page, no faster
/// than they are delivered.
///
/// It also determines when delivered ends may be forgotten: a page that was read before an acknowledgement was
/// committed still contains that end. So only one page is under way at a time, no page is requested before the daemon
/// has opened the session over the present connection, and a page requested before that is ignored.
package struct EndsCursor: Sendable, Equatable {
    /// A page to request.
    package struct Pull: Sendable, Equatable {
        package var number: Int
        /// The last end of the previous page.
        package var after: TransferID?
    }

    /// Whether the daemon may have more.
    package private(set) var hasMore = false
    /// The number of ends that were fetched but have not been delivered yet.
    package var untold = 0
    /// Whether the daemon has opened the session over the present connection.
    private var isOpen = false
    /// The page that is under way.
    private var pull: Int?
    private var pulls = 0
    /// Whether an end occurred that the pages may not contain: the next page is then the first one again.
    private var hasMissed = false
    /// The last end that was fetched.
    private var last: TransferID?
    /// Whether the session was opened before in this process.
    private var hasBegun = false
    /// Whether `urlSessionDidFinishEvents` is due after the last of the ends.
    private var owesFinish = false
    /// Whether the app is suspended and woken by the daemon: then `urlSessionDidFinishEvents` is due only if the app
    /// was called for the session's events.
    package let isSupervised: Bool
    /// Whether the daemon withholds the ends until further notice.
    private var isWithheld = false
    /// Whether it has released them over the present connection: the answer to an older request may claim otherwise.
    private var wasReleased = false

    /// No more ends are fetched while this many are waiting to be delivered.
    package static let enough = 100

    package init(isSupervised: Bool = false) { self.isSupervised = isSupervised }

    package var isPulling: Bool { pull != nil }

    /// Whether nothing is left to fetch, or to deliver after that.
    package var isExhausted: Bool { !hasMore && !isPulling && !isWithheld && !(isSupervised && owesFinish) }

    package var mayPull: Bool { isOpen && hasMore && pull == nil && untold < Self.enough }

    /// Records that the daemon has opened the session, over a new connection or for the first time: its ends are
    /// fetched from the first one on.
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
        // An end that occurred while the daemon was gone but the app was not is delivered like any other.
        if pendingEnds > 0, !hasBegun, !isSupervised { owesFinish = true }
        hasBegun = true
    }

    /// Records that the app was called for the session's events: the daemon will report when they are available.
    package mutating func expect() {
        owesFinish = true
        isWithheld = true
    }

    /// Records that the daemon no longer withholds anything: the session's ends are fetched from the first one on.
    package mutating func released() {
        wasReleased = true
        release()
        missed()
    }

    private mutating func release() {
        // Earlier knowledge does not prove that nothing is left.
        if isWithheld, owesFinish { hasMissed = true }
        isWithheld = false
    }

    /// Records that the connection has ended, and with it the page under way.
    package mutating func connectionLost() {
        isOpen = false
        pull = nil
        wasReleased = false
    }

    /// The page to request; nil if none is wanted now.
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

    /// Records that a page could not be fetched.
    package mutating func failed(_ number: Int) {
        if pull == number { pull = nil }
    }

    /// Records that a page has arrived.
    ///
    /// - Returns: whether the page counts; a page requested over another connection does not.
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

    /// Records that an unknown task has ended: its details come with the pages.
    package mutating func missed() {
        hasMissed = true
        hasMore = true
    }

    /// Returns whether the last of the kept ends has been delivered, for the first time.
    package mutating func takeFinish() -> Bool {
        guard owesFinish, isOpen, !hasMore, !isWithheld else { return false }
        owesFinish = false
        return true
    }
}
