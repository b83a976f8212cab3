// SPDX-License-Identifier: Apache-2.0

/// The requests of a download, and how its dialect, if it has one, interprets their answers.
extension Attempt {
    /// Requests the rest of the file from `reached` on; first asks for the credentials that this needs.
    mutating func fetch(_ work: AttemptWork, _ now: Moment) -> [AttemptAction] {
        var work = work
        if let asking = ask(&work) {
            phase = .working(work)
            return asking
        }
        work.lanes[0] = .init(offset: work.reached, reached: work.reached)
        phase = .working(work)
        return [.fetch(lane: 0, offset: work.reached, with: download?.request(lane: 0, now: now))]
    }

    /// Asks for the credentials that the next request needs; nil if it needs none.
    private func ask(_ work: inout AttemptWork) -> [AttemptAction]? {
        guard let download, let source = download.asksFor else { return nil }
        guard work.asking == .answers else { return [] }
        work.asking = .token(source)
        return [.authorize(source, rejecting: download.rejected)]
    }

    /// The request of a lane is over.
    mutating func fetched(
        _ work: AttemptWork,
        _ lane: Int,
        _ result: AttemptResult,
        reached: Int64,
        _ now: Moment
    ) -> [AttemptAction] {
        var result = result
        if case .answered(let answer) = result, let verdict = download?.answered(answer, lane: lane, now: now) {
            switch verdict {
            case .counts: break
            case .ask: return askAgain(work, lane, result, reached: reached, now)
            // A request from byte 0 has no condition that could have failed: it would be repeated for ever.
            case .beginAgain where held == nil && work.reached == 0: break
            case .beginAgain: result = .mustBeginAgain(serverIgnoresRanges: false)
            case .fail(let failure): result = .failed(failure)
            }
        }
        return held == nil
            ? conclude(work, result, reached: reached) : pieceEnded(work, lane, result, reached: reached, now)
    }

    /// Requests the rest of the lane's bytes again.
    private mutating func askAgain(
        _ work: AttemptWork,
        _ lane: Int,
        _ result: AttemptResult,
        reached: Int64,
        _ now: Moment
    ) -> [AttemptAction] {
        guard held != nil else { return fetch(work, now) }
        var work = work
        pieces?.putBack(lane, reached: reached)
        guard let asking = ask(&work) else { return goOn(pieces?.goOn(result), work, now) }
        pieces?.isHalted = true
        phase = .working(work)
        return asking
    }

    /// The requested credentials were granted.
    mutating func granted(_ work: AttemptWork, _ token: GrantedToken, _ now: Moment) -> [AttemptAction] {
        download?.authorized(token)
        guard download?.asksFor == nil else {
            return denied(work, .init(.accessKeyRefused, "what was granted signs no request"), now)
        }
        guard held != nil else { return fetch(work, now) }
        pieces?.isHalted = false
        return goOn(pieces?.goOn(.failed(Self.nothingAsked)), work, now)
    }

    /// The credentials were refused. The requests under way may still bring the rest.
    mutating func denied(_ work: AttemptWork, _ failure: TransferFailure, _ now: Moment) -> [AttemptAction] {
        var work = work
        work.asking = .answers
        guard held != nil else { return conclude(work, .failed(failure), reached: work.reached) }
        pieces?.isHalted = false
        return goOn(pieces?.refusedForGood(.failed(failure)), work, now)
    }

    /// Never reported: an incomplete schedule has something left to request.
    private static let nothingAsked = TransferFailure(.internalError, "nothing is left to ask for")
}
