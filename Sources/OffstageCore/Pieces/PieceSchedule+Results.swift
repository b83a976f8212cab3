// SPDX-License-Identifier: Apache-2.0

/// How the end of one request affects the others.
extension PieceSchedule {
    package enum Step: Sendable, Equatable {
        /// The download continues with these requests.
        case goOn([Order])
        /// The attempt has this result; stop the requests that are still under way.
        case end(AttemptResult)
    }

    /// Handles the end of a lane's request.
    ///
    /// A server that refuses a piece has not refused the file: the download continues with fewer requests, or only with
    /// those under way if the server cannot send pieces of this file. A failure ends the attempt only if it is the last
    /// request's, or if it concerns this machine.
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
                // A request that has delivered bytes may be repeated, so that a long download over a poor network keeps
                // its speed.
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
        case .challenged, .withheld: return .end(result)
        }
    }

    /// Handles the end of the request for the file's head, which delivers no bytes, after the file was divided.
    ///
    /// - Returns: the actions to carry out; none while a commit is awaited.
    mutating func inquired(_ answer: Answer) -> [Order] {
        self.answer = answer
        lanes[Self.opener] = nil
        return fill()
    }

    /// Handles a server that wants no more requests: it has answered 429, 503 or any other status not meant for a
    /// piece, or the equivalent in a dialect.
    private mutating func refused(_ result: AttemptResult) -> Step {
        most = max(1, lanes.count)
        growth?.settle()
        return lanes.isEmpty ? .end(result) : goOn(result)
    }

    /// Handles a server that cannot send pieces of this file, or where the file has changed: no other piece is
    /// requested.
    mutating func refusedForGood(_ result: AttemptResult) -> Step {
        if refusal == nil { refusal = result }
        return goOn(result)
    }

    /// Failures that would hit every request.
    static let ofThisMachine: Set<TransferFailure.Code> = [
        .targetExists, .targetDirectoryMissing, .targetNotWritable, .diskFull, .certificateFileUnreadable,
        .internalError,
    ]

    /// Assigns bytes to the free lanes, or ends the attempt.
    ///
    /// - Parameter result: the result if nothing is under way and nothing can be requested.
    /// - Returns: what follows.
    mutating func goOn(_ result: AttemptResult) -> Step {
        if isWhole {
            if let answer { return .end(.answered(answer)) }
            // The requests still under way will deliver the answer.
            return lanes.isEmpty ? .end(result) : .goOn([])
        }
        // The outcome of the pending authorization decides what follows.
        if isHalted { return .goOn([]) }
        let orders = fill()
        if lanes.isEmpty { return .end(refusal ?? result) }
        // The bytes of the other requests would be discarded.
        if case .mustBeginAgain? = refusal, let refusal, let total, orders.isEmpty, !unclaimed(total).isEmpty {
            return .end(refusal)
        }
        return .goOn(orders)
    }
}
