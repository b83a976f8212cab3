// SPDX-License-Identifier: Apache-2.0

/// What the end of one request means to the others.
extension PieceSchedule {
    package enum Step: Sendable, Equatable {
        /// The download goes on with these requests.
        case goOn([Order])
        /// The attempt has this result; requests that are still under way are to be stopped.
        case end(AttemptResult)
    }

    /// The request of a lane is over.
    ///
    /// A server that refuses a piece has not refused the file: the download goes on with fewer requests, and with none
    /// but those under way if the server cannot send pieces of this file. Only the last request's failure is the
    /// attempt's, and whatever concerns this machine.
    package mutating func ended(_ lane: Int, _ result: AttemptResult, reached: Int64) -> Step {
        moved(lane, reached: reached)
        guard let entry = lanes.removeValue(forKey: lane) else { return .goOn([]) }
        if sources != nil { return endedAmongSeveral(entry, result) }
        switch result {
        case .answered(let answer):
            guard entry.isOpenEnded || answer.status == 206 else { return refused(result) }
            if self.answer == nil || entry.isOpenEnded { self.answer = answer }
            return goOn(result)
        case .failed(let failure):
            switch failure.retryClass {
            case .busy: return refused(result)
            case .connection:
                // One that was of use may be tried again, so that a long download over a bad line keeps its speed.
                if entry.brought < Self.smallestPiece {
                    most = max(1, most - 1)  // checked: a few lanes
                    growth?.settle()
                }
                return lanes.isEmpty ? .end(result) : goOn(result)
            case .misbehaviour, .permanent:
                let isPieces = !entry.isOpenEnded && !Self.ofThisMachine.contains(failure.code)
                return isPieces ? refusedForGood(result) : .end(result)
            }
        case .mustBeginAgain: return entry.isOpenEnded ? .end(result) : refusedForGood(result)
        case .challenged: return .end(result)
        }
    }

    /// The server wants no more requests: 429 or 503, any other status that is not a piece's, or what means the same in a
    /// dialect.
    private mutating func refused(_ result: AttemptResult) -> Step {
        most = max(1, lanes.count)
        growth?.settle()
        return lanes.isEmpty ? .end(result) : goOn(result)
    }

    /// The server cannot send pieces of this file, or the file has changed there: no other piece is asked for.
    mutating func refusedForGood(_ result: AttemptResult) -> Step {
        if refusal == nil { refusal = result }
        return goOn(result)
    }

    /// Failures that every request would have.
    static let ofThisMachine: Set<TransferFailure.Code> = [
        .targetExists, .targetDirectoryMissing, .targetNotWritable, .diskFull, .certificateFileUnreadable,
        .internalError,
    ]

    /// Gives the free lanes something to fetch, or says how it ends.
    ///
    /// - Parameter result: what to tell if nothing is under way, and nothing can be asked for.
    /// - Returns: what follows.
    mutating func goOn(_ result: AttemptResult) -> Step {
        if isWhole {
            if let answer { return .end(.answered(answer)) }
            // Whatever is still under way will answer.
            return lanes.isEmpty ? .end(result) : .goOn([])
        }
        // Whatever is granted, or not, will say how it goes on.
        if isHalted { return .goOn([]) }
        let orders = fill()
        if lanes.isEmpty { return .end(refusal ?? result) }
        // What the others bring would be thrown away.
        if case .mustBeginAgain? = refusal, let refusal, let total, orders.isEmpty, !unclaimed(total).isEmpty {
            return .end(refusal)
        }
        return .goOn(orders)
    }
}
