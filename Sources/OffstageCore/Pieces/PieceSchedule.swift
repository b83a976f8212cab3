// SPDX-License-Identifier: Apache-2.0

/// Decides which bytes of a download each of its requests fetches: a value without a socket, file or clock.
///
/// The first request asks for everything after the bytes already held. Once its answer shows that the file may be
/// fetched in pieces, the remaining bytes are divided: each further request, in its own lane, fetches a piece, and the
/// first request ends where the next piece begins. A lane that becomes free takes a piece that no lane fetches, or the
/// end of the longest one under way. Pieces start small, so that a server that prepares each response soon answers all
/// lanes, and double in size, so that a large file does not take many requests. The result of each request decides
/// whether the others continue (`PieceSchedule+Results.swift`).
package struct PieceSchedule: Sendable, Equatable {
    /// A request under way.
    struct Lane: Sendable, Equatable {
        /// The byte of the file that it has reached.
        var reached: Int64
        /// The byte before which it ends.
        var end: Int64
        /// The number of bytes that it has delivered.
        var brought: Int64 = 0
        /// Whether its response extends to the end of the file, whatever `end` is.
        var isOpenEnded = false
        /// The source that it goes to, if there are several.
        var source = PieceSources.own

        var remaining: Int64 { max(0, end.subtractingClamped(reached)) }
    }

    /// An action to carry out.
    package enum Order: Sendable, Equatable {
        /// Fetch these bytes in this lane.
        case fetch(lane: Int, Range<Int64>)
        /// End the request of this lane when it reaches this byte.
        case end(lane: Int, at: Int64)
    }

    /// The bytes that the file has.
    package internal(set) var held: ByteSpans
    /// The length of the file; nil until the file is known to be divisible.
    package private(set) var total: Int64?
    /// The most requests that may be under way.
    package internal(set) var most: Int
    var lanes: [Int: Lane] = [:]
    /// The answer that is reported once all bytes are there: the first request's, or a piece's.
    var answer: Answer?
    /// Chooses the number of connections if the owner has not; nil for a fixed number.
    package internal(set) var growth: ConnectionGrowth?
    /// The length of a file that may be divided once more connections are worthwhile; nil if unknown.
    private var divisible: Int64?
    /// Set until the store has recorded that the file will have holes: before that, nothing may be fetched beyond a
    /// hole.
    package var awaitsCommit = false
    /// Set once the server has refused pieces: the result if the requests under way do not deliver the remaining bytes.
    var refusal: AttemptResult?
    /// Whether nothing can be requested at the moment, because an authorization is pending.
    var isHalted = false
    /// The addresses that pieces are fetched from, if there are several.
    var sources: PieceSources?
    /// The time since which a lane has been idle with nothing left to request; nil if no lane is, or if the time is
    /// unknown.
    var idleFrom: Double?
    /// How many pieces have been assigned to lanes so far.
    private var given = 0

    /// The lane of the first request, whose response extends to the end of the file.
    static let opener = 0
    /// Fewer bytes than this are not worth a separate request.
    package static let smallestPiece: Int64 = 1 << 20
    /// The same limit if the rest of a piece may go to another address, which may be much faster.
    private static let smallestShare: Int64 = 128 << 10
    /// The length of the first pieces.
    private static let firstPiece: Int64 = 16 << 20
    /// How many times that length doubles: up to 1 GiB.
    private static let doublings = 6
    /// Pieces begin at multiples of this, so that no page of the file is written by two requests.
    private static let alignment: Int64 = 4096

    /// - Parameters:
    ///   - connections: how many requests may be under way.
    ///   - held: the bytes that the file has from earlier attempts.
    package init(connections: Int, held: ByteSpans = ByteSpans()) {
        most = max(1, connections)
        self.held = held
    }

    /// Creates the schedule of a download whose owner has not chosen the number of connections.
    ///
    /// - Parameters:
    ///   - most: the most requests that may be under way.
    ///   - offset: the byte at which the first request begins.
    ///   - held: the bytes that the file has from earlier attempts. Any bytes after the first request's start came over
    ///     several connections; this attempt then uses several from the beginning, so that they are not fetched again.
    ///   - free: how many more connections the host has left.
    package init(growingTo most: Int, from offset: Int64, held: ByteSpans, free: Int = .max) {
        growth = ConnectionGrowth(most: most)
        let again = min(most, max(0, free).addingClamped(1), Self.usualAgain)
        self.most = held.end > offset ? max(2, again) : 1
        self.held = held
    }

    /// The number of connections with which a download that has used several resumes.
    private static let usualAgain = 4

    /// Whether the file is fetched in pieces.
    package var isDivided: Bool { total != nil }

    /// Whether the file will be divided if possible, regardless of the network.
    package var isExpected: Bool { most > 1 }

    /// Whether the number of connections may still change automatically.
    package var isGrowing: Bool { divisible != nil && growth?.isSettled == false }

    package var isWhole: Bool { total.map { held.count >= $0 } ?? false }

    /// The number of requests under way.
    package var underWay: Int { lanes.count }

    /// Handles a first response, in lane 0, that shows that the file may be fetched in pieces.
    ///
    /// - Parameters:
    ///   - total: the length of the file.
    ///   - offset: the byte at which the response begins.
    ///   - reached: the byte that the response has reached.
    /// - Returns: whether the file is divided: a small or nearly complete one is not.
    package mutating func divide(total: Int64, from offset: Int64, reached: Int64) -> Bool {
        if growth != nil { divisible = total }
        guard !isDivided, most > 1, ByteCounts.range.contains(total), 0 <= offset, offset <= reached, reached < total
        else { return false }
        held = held.clamped(to: 0..<total)  // checked: it is in the range of `ByteCounts`
        guard held.end > reached || Self.parts(of: total.subtractingClamped(reached)) > 1 else { return false }
        self.total = total
        lanes[Self.opener] = Lane(reached: offset, end: total, isOpenEnded: true)
        moved(Self.opener, reached: reached)
        return true
    }

    /// Handles the passage of time.
    ///
    /// - Parameters:
    ///   - first: the first request, as long as the file is not divided: the byte at which it began, and the byte that
    ///     it has reached.
    ///   - free: how many more connections the host has left.
    ///   - uptime: the time, in seconds.
    /// - Returns: whether the number of connections has changed. If this has divided the file, its lanes have yet to be
    ///   filled.
    package mutating func measure(
        first: (offset: Int64, reached: Int64)?,
        free: Int = .max,
        uptime: Double
    ) -> Bool {
        let spare = spareBeside
        guard !awaitsFirstAnswer else {
            growth?.pause()
            return false
        }
        guard !awaitsCommit, let divisible, let bytes = isDivided ? held.count : first?.reached,
            let count = growth?.next(
                connections: most,
                limit: max(1, lanes.count).addingClamped(max(0, free)).addingClamped(spare),
                bytes: bytes,
                remaining: max(0, divisible.subtractingClamped(bytes)),
                uptime: uptime
            )
        else { return false }
        most = count
        if isDivided { return true }
        guard let first else { return false }
        return divide(total: divisible, from: first.offset, reached: first.reached)
    }

    /// Records that a lane's request has reached this byte of the file.
    package mutating func moved(_ lane: Int, reached: Int64) {
        guard let total, var entry = lanes[lane], reached > entry.reached else { return }
        let reached = min(reached, total)
        guard reached > entry.reached else { return }
        held.insert(entry.reached..<reached)  // checked: `reached` is after it
        entry.brought = entry.brought.addingClamped(reached.subtractingClamped(entry.reached))
        entry.reached = reached
        lanes[lane] = entry
    }

    /// Frees the remaining bytes of a lane's request, which has ended without a result.
    mutating func putBack(_ lane: Int, reached: Int64) {
        moved(lane, reached: reached)
        lanes[lane] = nil
    }

    /// Assigns bytes to the free lanes.
    ///
    /// - Parameter asksTwice: whether free lanes fetch bytes that other addresses were already asked for, if nothing
    ///   else is left.
    /// - Returns: the actions to carry out, in order.
    package mutating func fill(asksTwice: Bool = false) -> [Order] {
        guard let total, !isWhole, !isHalted, !awaitsCommit else { return [] }
        guard refusal == nil else { return extendFirst(total) }
        let before = lanes
        endAtHeld(total)
        while lanes.count < most {
            // checked: `most` is at least 1, and a piece is not empty
            guard let lane = (0..<most).first(where: { lanes[$0] == nil }), let source = nextSource,
                let piece = nextPiece(total, before) ?? (asksTwice ? restOfOther(source, before) : nil)
            else { break }
            lanes[lane] = Lane(reached: piece.lowerBound, end: piece.upperBound, source: source)
        }
        endAtHeld(total)
        goOnWithFirst(total)
        return lanes.keys.sorted().compactMap { lane in
            guard let entry = lanes[lane] else { return nil }
            // checked: a piece that has just been chosen is not empty
            guard let earlier = before[lane] else { return .fetch(lane: lane, entry.reached..<entry.end) }
            return earlier.end == entry.end ? nil : .end(lane: lane, at: entry.end)
        }
    }

    /// Ends each request at the end of the gap that it fills. The bytes after the gap came from earlier attempts, or
    /// from a faster request for the same bytes.
    private mutating func endAtHeld(_ total: Int64) {
        let gaps = held.gaps(before: total)
        for (lane, entry) in lanes where entry.isOpenEnded || sources != nil {
            let gap = gaps.first { $0.upperBound > entry.reached && $0.lowerBound < entry.end }
            lanes[lane]?.end = min(entry.end, gap?.upperBound ?? entry.reached)
        }
    }

    /// Extends the first request over the bytes that follow it, if no lane is left for them: its response contains them
    /// anyway. If it is the only request, it also repeats bytes that others have delivered, as long as they are too few
    /// to be worth a request.
    private mutating func goOnWithFirst(_ total: Int64) {
        guard var first = lanes[Self.opener], first.isOpenEnded else { return }
        let distance = lanes.count == 1 ? Self.smallestPiece : 0
        for gap in unclaimed(total) where gap.lowerBound >= first.end {
            guard gap.lowerBound <= first.end.addingClamped(distance) else { break }
            first.end = gap.upperBound
        }
        lanes[Self.opener] = first
    }

    /// The piece for one more lane: it starts at the first byte that no lane fetches, if there is one.
    ///
    /// - Parameters:
    ///   - total: the length of the file.
    ///   - asked: the requests that have been made already.
    /// - Returns: nil if there is nothing left to ask for.
    private mutating func nextPiece(_ total: Int64, _ asked: [Int: Lane]) -> Range<Int64>? {
        guard let free = unclaimed(total).first ?? splitLongest() ?? claimFromSilent(asked) else { return nil }
        let length = pieceLength(total)
        given = given.addingClamped(1)
        // The rest would not be worth a separate request.
        guard free.upperBound.subtractingClamped(free.lowerBound) > length.addingClamped(Self.smallestPiece) else {
            return free
        }
        let end = free.lowerBound.addingClamped(length)
        return free.lowerBound..<end - end % Self.alignment  // checked: a piece is longer than the alignment
    }

    /// The length of the next piece: it doubles each time every lane has had one, but does not exceed a lane's share of
    /// the missing bytes, unless that share is less than the first length.
    private func pieceLength(_ total: Int64) -> Int64 {
        let rounds = min(Self.doublings, given / max(1, most))  // checked: not 0
        let share = max(0, total.subtractingClamped(held.count)) / Int64(max(1, most))  // checked: not 0
        return max(Self.firstPiece, min(Self.firstPiece << rounds, share))  // checked: a few doublings
    }

    /// Takes part of the longest piece under way.
    private mutating func splitLongest() -> Range<Int64>? {
        let longest = lanes.max { ($0.value.remaining, $1.key) < ($1.value.remaining, $0.key) }
        guard let (lane, entry) = longest.map({ ($0.key, $0.value) }) else { return nil }
        // If several lanes are free, they and the lane of the longest piece get equal parts.
        let smallest = sources == nil ? Self.smallestPiece : Self.smallestShare
        // checked: a few lanes, and quotients of one length of a file
        let parts = min(Int64(most - lanes.count) + 1, entry.remaining / smallest)
        guard parts > 1 else { return nil }
        let start = entry.end - entry.remaining / parts
        let aligned = start - start % Self.alignment
        // The first request of an attempt may be repeating bytes that the file already has.
        let gap = held.gaps(before: entry.end).first { $0.upperBound > aligned }
        guard aligned > entry.reached, let gap else { return nil }
        lanes[lane]?.end = aligned
        return max(aligned, gap.lowerBound)..<gap.upperBound  // checked: the gap ends behind both
    }

    /// The first missing bytes that a request will deliver. Another request may cover them as well.
    func missing(of entry: Lane) -> Range<Int64>? {
        guard let gap = held.gaps(before: entry.end).first(where: { $0.upperBound > entry.reached }) else { return nil }
        return max(gap.lowerBound, entry.reached)..<gap.upperBound  // checked: the gap ends behind both
    }

    /// The bytes that are neither present nor being fetched.
    func unclaimed(_ total: Int64) -> [Range<Int64>] {
        var claimed = held
        // checked: the remaining count is above 0
        for lane in lanes.values where lane.remaining > 0 { claimed.insert(lane.reached..<lane.end) }
        return claimed.gaps(before: total)
    }

    /// Extends the first request, if it is still under way, to the bytes that no other request may fetch any longer. It
    /// then fetches the bytes in between again.
    private mutating func extendFirst(_ total: Int64) -> [Order] {
        guard var first = lanes[Self.opener], first.isOpenEnded, let last = unclaimed(total).last,
            last.lowerBound >= first.reached, first.end < last.upperBound
        else { return [] }
        first.end = last.upperBound
        lanes[Self.opener] = first
        return [.end(lane: Self.opener, at: first.end)]
    }

    /// The number of pieces into which this many bytes may be divided.
    private static func parts(of bytes: Int64) -> Int64 { bytes / smallestPiece }  // checked: not 0
}
