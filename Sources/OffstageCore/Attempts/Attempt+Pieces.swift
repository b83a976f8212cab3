// SPDX-License-Identifier: Apache-2.0

/// A download in pieces: `PieceSchedule` decides what each request fetches.
extension Attempt {
    /// Divides a file that may be fetched in pieces. The store must record that there are holes before there is one:
    /// otherwise the next daemon would mistake the file's size for the number of bytes received.
    mutating func divide(_ work: AttemptWork, _ total: Int64, _ answer: Answer?) -> [AttemptAction] {
        pieces?.answeredFirst(answer)
        guard dialect == nil, let first = work.lanes[0],
            pieces?.divide(total: total, from: first.offset, reached: first.reached) == true
        else { return [] }
        pieces?.awaitsCommit = true
        return [.commitHoles]
    }

    /// Whether the requests may change as time passes (`measured`).
    package var isWatched: Bool { pieces?.isGrowing == true || pieces?.isShared == true }

    /// The other addresses that may have requests; empty if there is only the one in use.
    package var besides: [Int] { pieces?.sources?.besides ?? [] }

    /// The other addresses that are delivering now.
    package var delivering: Set<Int> { pieces?.delivering ?? [] }

    /// Records how many more connections the hosts of these addresses have left.
    package mutating func update(free: [Int: Int]) { pieces?.update(free: free) }

    /// Handles the passage of time: a different number of connections, or another address for the last bytes, may be
    /// faster.
    mutating func measured(_ work: AttemptWork, _ free: Int, _ now: Moment) -> [AttemptAction] {
        let wasDivided = held != nil
        let first = work.lanes[0].map { (offset: $0.offset, reached: $0.reached) }
        guard pieces?.measure(first: first, free: free, uptime: now.uptime) == true else {
            return carryOut(pieces?.relieve(uptime: now.uptime) ?? [], work, now)
        }
        guard !wasDivided else { return carryOut(pieces?.fill() ?? [], work, now) }
        pieces?.awaitsCommit = true
        return [.commitHoles]
    }

    /// Handles the end of a lane's request, after which the others may continue.
    mutating func pieceEnded(
        _ work: AttemptWork,
        _ lane: Int,
        _ result: AttemptResult,
        reached: Int64,
        _ now: Moment
    ) -> [AttemptAction] {
        let step = pieces?.ended(lane, result, reached: reached)
        // Reported first: the end of the attempt may depend on it.
        let left = pieces?.sources?.takeLeavings() ?? []
        return left.map { AttemptAction.leave(address: $0.address, $0.failure) } + goOn(step, work, now)
    }

    mutating func goOn(_ step: PieceSchedule.Step?, _ work: AttemptWork, _ now: Moment) -> [AttemptAction] {
        switch step {
        case .goOn(let orders): carryOut(orders, work, now)
        case .end(let result): conclude(work, result, reached: held?.count ?? work.reached)
        case nil: []
        }
    }

    mutating func carryOut(
        _ orders: [PieceSchedule.Order],
        _ work: AttemptWork,
        _ now: Moment
    ) -> [AttemptAction] {
        var work = work
        let actions = orders.map { order -> AttemptAction in
            switch order {
            case .fetch(let lane, let piece):
                work.lanes[lane] = .init(offset: piece.lowerBound, reached: piece.lowerBound)
                if let beside = pieces?.requestBeside(lane) { return .fetchBeside(lane: lane, piece, beside) }
                return .fetchPiece(lane: lane, piece, with: download?.request(lane: lane, now: now))
            case .end(let lane, let byte): return .endAt(lane: lane, byte)
            }
        }
        phase = .working(work)
        return actions
    }
}

extension PieceSchedule {
    /// The state of the pieces, for people; nil while a single request fetches everything from the address in use. An
    /// address that has not answered does not count yet.
    var standing: String? {
        guard isDivided else { return nil }
        let deliver = lanesOfSources.filter { sources?.isSilent($0.key) != true }
        let count = deliver.values.reduce(0) { $0.addingClamped($1) }
        let words = count > 1 ? "fetched over \(count) connections" : "fetched"
        guard let sources, deliver.keys.contains(where: { $0 != PieceSources.own }) else {
            return count > 1 ? words : nil
        }
        // People count from 1.
        let places = deliver.keys.compactMap { sources.address(of: $0) }.sorted().map { "\($0.addingClamped(1))" }
        guard let last = places.last, places.count > 1 else { return words + " from address \(places.joined())" }
        return words + " from the addresses \(places.dropLast().joined(separator: ", ")) and \(last)"
    }

    /// The other addresses that are delivering, by their places in the list.
    var delivering: Set<Int> {
        guard let sources else { return [] }
        let others = lanesOfSources.keys.filter { $0 != PieceSources.own && !sources.isSilent($0) }
        return Set(others.compactMap { sources.address(of: $0) })
    }
}
