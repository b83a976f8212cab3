// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// What has to be written for the timeline: spans that have ended, and how far those have come that still last.
///
/// It is written with whatever else is committed, and at the end: nothing wakes the daemon for it, and no commit is made for
/// it. What a crash loses is the part of the timeline since the last commit.
///
/// Bounded: beyond `mostWaiting` the oldest spans are lost, and with each commit it looks at `refreshedAtOnce` of those that
/// last, however many there are.
package struct Chronicle: Sendable {
    /// Something that is in one state at a time.
    package enum Lane: Sendable, Hashable {
        case app(String)
        case network, power, daemon
    }

    /// A span with its number in the store, where a later one of the same number takes its place.
    package struct Entry: Sendable, Hashable {
        package var number: Int64
        package var span: TimelineSpan

        package init(number: Int64, span: TimelineSpan) {
            self.number = number
            self.span = span
        }
    }

    private struct Standing {
        var number: Int64
        var began: Date
        var subject: TimelineSpan.Subject
        /// Until when it was last written; nil if it never was.
        var writtenUntil: Date?

        func span(until date: Date) -> TimelineSpan { TimelineSpan(began: began, ended: date, subject) }
    }

    private var nextNumber: Int64
    private var waiting: [Entry] = []
    /// Whether a commit has taken entries and has not ended.
    private var isBeingWritten = false
    private var standings: [Lane: Standing] = [:]
    /// The lanes in the order in which they are looked at; some may have ended.
    private var round: [Lane] = []
    private var isInRound: Set<Lane> = []
    private var place = 0

    /// The most spans that wait for a commit.
    package static let mostWaiting = 8192
    /// The most spans that one commit takes.
    package static let mostAtOnce = 1024
    /// The most spans that last of which one commit writes how far they have come.
    package static let refreshedAtOnce = 16
    /// Seconds after which it is written anew how far a span has come.
    package static let refresh = 60.0
    /// The number of spans that are kept in the store.
    package static let kept: Int64 = 32_768

    /// - Parameter nextNumber: greater than every number in the store.
    package init(nextNumber: Int64 = 1) { self.nextNumber = max(1, nextNumber) }

    // MARK: What happens

    /// Something has lasted until now.
    package mutating func record(_ span: TimelineSpan) {
        add(Entry(number: makeNumber(), span: span))
    }

    /// A lane is in this state from now on; nil if that is not known, or there is none.
    package mutating func stand(_ subject: TimelineSpan.Subject?, in lane: Lane, at date: Date) {
        let former = standings[lane]
        guard former?.subject != subject else { return }
        if let former { add(Entry(number: former.number, span: former.span(until: date))) }
        guard let subject else {
            standings[lane] = nil
            return
        }
        // One that has ended may still be in the round.
        if isInRound.insert(lane).inserted { round.append(lane) }
        standings[lane] = Standing(number: makeNumber(), began: date, subject: subject)
    }

    /// The daemon ends: nothing lasts any longer, as far as is known.
    package mutating func finish(at date: Date) {
        for lane in round { stand(nil, in: lane, at: date) }
        round = []
        isInRound = []
    }

    private mutating func makeNumber() -> Int64 {
        defer { nextNumber = nextNumber.addingClamped(1) }
        return nextNumber
    }

    private mutating func add(_ entry: Entry) {
        waiting.append(entry)
        if waiting.count > Self.mostWaiting { waiting.removeFirst(Self.mostWaiting / 2) }
    }

    // MARK: What is written

    /// Whether spans that have ended wait to be written.
    package var hasWaiting: Bool { !waiting.isEmpty }

    /// Whether the store lacks spans that have ended: they wait, or the commit under way has them.
    package var isAhead: Bool { hasWaiting || isBeingWritten }

    /// Takes what the next commit writes.
    ///
    /// - Parameter now: the time; nil if it is not known, and only what has ended is written.
    /// - Returns: entries, for `written` or, if the commit fails, `putBack`.
    package mutating func take(at now: Date?) -> [Entry] {
        let taken = entries(at: now)
        isBeingWritten = !taken.isEmpty
        return taken
    }

    private mutating func entries(at now: Date?) -> [Entry] {
        var taken = Array(waiting.prefix(Self.mostAtOnce))
        waiting.removeFirst(taken.count)
        guard let now else { return taken }
        // Until when the daemon ran is known as well as what it did.
        if !taken.isEmpty, let daemon = standings[.daemon] {
            standings[.daemon]?.writtenUntil = now
            taken.append(Entry(number: daemon.number, span: daemon.span(until: now)))
        }
        for _ in 0..<min(Self.refreshedAtOnce, round.count) {
            if place >= round.count { place = 0 }
            guard place < round.count else { break }
            let lane = round[place]
            guard let standing = standings[lane] else {
                isInRound.remove(lane)
                round.swapAt(place, round.count - 1)
                round.removeLast()
                continue
            }
            place += 1
            // A clock that was set back must not put it off.
            let age = standing.writtenUntil.map { abs(now.timeIntervalSince($0)) } ?? .infinity
            guard age >= Self.refresh else { continue }
            standings[lane]?.writtenUntil = now
            taken.append(Entry(number: standing.number, span: standing.span(until: now)))
        }
        return taken
    }

    /// What was taken is in the store, or never will be.
    package mutating func written() { isBeingWritten = false }

    /// A commit has failed.
    package mutating func putBack(_ entries: [Entry]) {
        isBeingWritten = false
        // How far something has come is written with the next commit; it must not take the place of its end.
        let lasting = Set(standings.values.map(\.number))
        let ended = entries.filter { !lasting.contains($0.number) }
        let numbers = Set(entries.map(\.number))
        for (lane, standing) in standings where numbers.contains(standing.number) {
            standings[lane]?.writtenUntil = nil
        }
        waiting.insert(contentsOf: ended, at: 0)
        if waiting.count > Self.mostWaiting { waiting.removeFirst(waiting.count - Self.mostWaiting) }
    }

    /// What lasts now.
    package func lasting(at now: Date) -> [TimelineSpan] { standings.values.map { $0.span(until: now) } }
}
