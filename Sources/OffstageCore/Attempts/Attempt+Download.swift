// SPDX-License-Identifier: Apache-2.0

/// The requests of a download, and what its dialect, if it has one, makes of their answers.
extension Attempt {
    /// Asks for everything that follows the bytes at the beginning of the file, once nothing has to be granted for it.
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

    /// Asks for what the next request needs; nil if it needs nothing.
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
            // Without a condition nothing can have changed: it would be the same again, for ever.
            case .beginAgain where held == nil && work.reached == 0: break
            case .beginAgain: result = .mustBeginAgain(serverIgnoresRanges: false)
            case .fail(let failure): result = .failed(failure)
            }
        }
        return held == nil
            ? conclude(work, result, reached: reached) : pieceEnded(work, lane, result, reached: reached, now)
    }

    /// What the lane was to fetch is asked for once more.
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

    /// What the download asked for was granted.
    mutating func granted(_ work: AttemptWork, _ token: GrantedToken, _ now: Moment) -> [AttemptAction] {
        download?.authorized(token)
        guard download?.asksFor == nil else {
            return denied(work, .init(.accessKeyRefused, "what was granted signs no request"), now)
        }
        guard held != nil else { return fetch(work, now) }
        pieces?.isHalted = false
        return goOn(pieces?.goOn(.failed(Self.nothingAsked)), work, now)
    }

    /// Nothing was granted: what is under way may still bring the rest.
    mutating func denied(_ work: AttemptWork, _ failure: TransferFailure, _ now: Moment) -> [AttemptAction] {
        var work = work
        work.asking = .answers
        guard held != nil else { return conclude(work, .failed(failure), reached: work.reached) }
        pieces?.isHalted = false
        return goOn(pieces?.refusedForGood(.failed(failure)), work, now)
    }

    /// Not met: a schedule that is not whole has something to ask for.
    private static let nothingAsked = TransferFailure(.internalError, "nothing is left to ask for")
}
