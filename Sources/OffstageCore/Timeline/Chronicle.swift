// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The pending writes of the timeline: spans that have ended, and the progress of spans that still last.
///
/// It is written along with other commits, and at the end. The daemon neither wakes up nor commits only for the
/// timeline. A crash loses the part of the timeline since the last commit.
///
/// Bounded: beyond `mostWaiting` the oldest spans are lost, and each commit visits only `refreshedAtOnce` of the
/// lasting spans, however many there are.
package struct Chronicle: Sendable {
    /// Something that is in one state at a time.
    package enum Lane: Sendable, Hashable {
        case app(String)
        case network, power, daemon
    }

    /// A span with its number in the store, where a later span with the same number replaces it.
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
    /// Whether a commit with entries is under way.
    private var isBeingWritten = false
    private var standings: [Lane: Standing] = [:]
    /// The lanes in the order in which they are visited; some may have ended.
    private var round: [Lane] = []
    private var isInRound: Set<Lane> = []
    private var place = 0

    /// The most spans that wait for a commit.
    package static let mostWaiting = 8192
    /// The most spans that one commit takes.
    package static let mostAtOnce = 1024
    /// The most lasting spans whose progress one commit writes.
    package static let refreshedAtOnce = 16
    /// Seconds after which a span's progress is written again.
    package static let refresh = 60.0
    /// The number of spans that are kept in the store.
    package static let kept: Int64 = 32_768

    /// - Parameter nextNumber: greater than every number in the store.
    package init(nextNumber: Int64 = 1) { self.nextNumber = max(1, nextNumber) }

    // MARK: Events

    /// Something has lasted until now.
    package mutating func record(_ span: TimelineSpan) {
        add(Entry(number: makeNumber(), span: span))
    }

    /// A lane is in this state from now on; nil if it is unknown or there is none.
    package mutating func stand(_ subject: TimelineSpan.Subject?, in lane: Lane, at date: Date) {
        let former = standings[lane]
        guard former?.subject != subject else { return }
        if let former { add(Entry(number: former.number, span: former.span(until: date))) }
        guard let subject else {
            standings[lane] = nil
            return
        }
        // A lane that has ended may still be in the round.
        if isInRound.insert(lane).inserted { round.append(lane) }
        standings[lane] = Standing(number: makeNumber(), began: date, subject: subject)
    }

    /// The daemon ends: no span is known to last any longer.
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

    // MARK: Rows to write

    /// Whether spans that have ended wait to be written.
    package var hasWaiting: Bool { !waiting.isEmpty }

    /// Whether the store lacks spans that have ended: they wait, or the commit under way has them.
    package var isAhead: Bool { hasWaiting || isBeingWritten }

    /// Removes and returns the entries for the next commit.
    ///
    /// - Parameter now: the time; nil if it is unknown, and only ended spans are written.
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
        // The daemon's own span is as current as the spans of its work.
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
            // A clock that was set back must not postpone it.
            let age = standing.writtenUntil.map { abs(now.timeIntervalSince($0)) } ?? .infinity
            guard age >= Self.refresh else { continue }
            standings[lane]?.writtenUntil = now
            taken.append(Entry(number: standing.number, span: standing.span(until: now)))
        }
        return taken
    }

    /// The taken entries are in the store, or never will be.
    package mutating func written() { isBeingWritten = false }

    /// A commit has failed.
    package mutating func putBack(_ entries: [Entry]) {
        isBeingWritten = false
        // A span's progress is written with the next commit. It must not replace the span's end.
        let lasting = Set(standings.values.map(\.number))
        let ended = entries.filter { !lasting.contains($0.number) }
        let numbers = Set(entries.map(\.number))
        for (lane, standing) in standings where numbers.contains(standing.number) {
            standings[lane]?.writtenUntil = nil
        }
        waiting.insert(contentsOf: ended, at: 0)
        if waiting.count > Self.mostWaiting { waiting.removeFirst(waiting.count - Self.mostWaiting) }
    }

    /// The spans that last now.
    package func lasting(at now: Date) -> [TimelineSpan] { standings.values.map { $0.span(until: now) } }
}
