// SPDX-License-Identifier: Apache-2.0

/// A download in pieces: `PieceSchedule` decides what each request fetches.
extension Attempt {
    /// The file may be fetched in pieces. The store has to know that it gets holes before it gets one: the next daemon
    /// would otherwise take its size for what has arrived.
    mutating func divide(_ work: AttemptWork, _ total: Int64) -> [AttemptAction] {
        guard dialect == nil, let first = work.lanes[0],
            pieces?.divide(total: total, from: first.offset, reached: first.reached) == true
        else { return [] }
        return [.commitHoles]
    }

    /// More or fewer connections may be worth it.
    mutating func measured(_ work: AttemptWork, _ now: Moment) -> [AttemptAction] {
        let wasDivided = held != nil
        let first = work.lanes[0].map { (offset: $0.offset, reached: $0.reached) }
        guard pieces?.measure(first: first, uptime: now.uptime) == true else { return [] }
        return wasDivided ? carryOut(pieces?.fill() ?? [], work) : [.commitHoles]
    }

    /// The request of a lane is over, and the others may go on.
    mutating func pieceEnded(
        _ work: AttemptWork,
        _ lane: Int,
        _ result: AttemptResult,
        reached: Int64
    ) -> [AttemptAction] {
        switch pieces?.ended(lane, result, reached: reached) {
        case .goOn(let orders): carryOut(orders, work)
        case .end(let result): conclude(work, result, reached: held?.count ?? reached)
        case nil: conclude(work, result, reached: reached)
        }
    }

    mutating func carryOut(_ orders: [PieceSchedule.Order], _ work: AttemptWork) -> [AttemptAction] {
        var work = work
        let actions = orders.map { order -> AttemptAction in
            switch order {
            case .fetch(let lane, let piece):
                work.lanes[lane] = .init(offset: piece.lowerBound, reached: piece.lowerBound)
                return .fetchPiece(lane: lane, piece)
            case .end(let lane, let byte): return .endAt(lane: lane, byte)
            }
        }
        phase = .working(work)
        return actions
    }
}

extension PieceSchedule {
    /// For people; nil while one request fetches all.
    var standing: String? {
        guard isDivided, underWay > 1 else { return nil }
        return "fetched over \(underWay) connections"
    }
}
