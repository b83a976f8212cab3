// SPDX-License-Identifier: Apache-2.0

/// The requests of a download, and how its dialect, if it has one, interprets their answers.
extension Attempt {
    /// Requests the rest of the file, from `reached` on, after any credentials that this needs, and the file's head if
    /// the dialect wants it.
    mutating func fetch(_ work: AttemptWork, _ now: Moment) -> [AttemptAction] {
        var work = work
        if let asking = ask(&work) {
            phase = .working(work)
            return asking
        }
        work.lanes[0] = .init(offset: work.reached, reached: work.reached)
        let inquiry = mayInquire(work) ? download?.inquiry(now: now) : nil
        work.inquiry = inquiry == nil ? .over : .underWay
        phase = .working(work)
        return [.fetch(lane: 0, offset: work.reached, with: inquiry ?? download?.request(lane: 0, now: now))]
    }

    /// Whether learning the file's length is worth a separate request: all pieces can then be requested at once.
    private func mayInquire(_ work: AttemptWork) -> Bool {
        guard work.inquiry == .notSent, work.reached == 0, let pieces else { return false }
        return pieces.isExpected && pieces.held.count == 0
    }

    /// Handles the end of the request for the file's head.
    private mutating func inquired(_ work: AttemptWork, _ result: AttemptResult, _ now: Moment) -> [AttemptAction] {
        let lane = PieceSchedule.opener
        var work = work
        work.inquiry = .over
        switch result {
        case .answered(let answer) where (200..<300).contains(answer.status):
            _ = download?.answered(answer, lane: lane, now: now)
            return held == nil ? fetch(work, now) : carryOut(pieces?.inquired(answer) ?? [], work, now)
        case .failed(let failure)
        where failure.retryClass == .connection || PieceSchedule.ofThisMachine.contains(failure.code):
            break
        // The answer to the request for the file says what is wrong; one to HEAD has no body.
        case .answered, .failed, .challenged, .mustBeginAgain, .withheld:
            if held == nil { return fetch(work, now) }
        }
        // If the file is divided, this ends as the first request for the file would.
        return held == nil
            ? conclude(work, result, reached: work.reached)
            : pieceEnded(work, lane, result, reached: work.reached, now)
    }

    /// Asks for the credentials of the next request; nil if it needs none.
    private func ask(_ work: inout AttemptWork) -> [AttemptAction]? {
        guard let download, let source = download.asksFor else { return nil }
        guard work.asking == .answers else { return [] }
        work.asking = .token(source)
        return [.authorize(source, rejecting: download.rejected)]
    }

    /// Handles the end of a lane's request.
    mutating func fetched(
        _ work: AttemptWork,
        _ lane: Int,
        _ result: AttemptResult,
        reached: Int64,
        _ now: Moment
    ) -> [AttemptAction] {
        var result = shown(result, lane)
        if work.inquiry == .underWay, lane == PieceSchedule.opener { return inquired(work, result, now) }
        if case .answered(let answer) = result, let verdict = download?.answered(answer, lane: lane, now: now) {
            switch verdict {
            case .counts: break
            case .ask: return askAgain(work, lane, result, reached: reached, now)
            // A request from byte 0 has no condition that could have failed, and would be repeated forever.
            case .beginAgain where held == nil && work.reached == 0: break
            case .beginAgain: result = .mustBeginAgain(serverIgnoresRanges: false)
            case .fail(let failure): result = .failed(failure)
            }
        }
        return held == nil
            ? conclude(work, result, reached: reached) : pieceEnded(work, lane, result, reached: reached, now)
    }

    /// The result of a lane's request, without secrets that the server may have repeated.
    private func shown(_ result: AttemptResult, _ lane: Int) -> AttemptResult {
        guard case .answered(let answer) = result, let download else { return result }
        return .answered(download.shown(answer, lane: lane))
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

    /// Handles the granting of the requested credentials.
    mutating func granted(_ work: AttemptWork, _ token: GrantedToken, _ now: Moment) -> [AttemptAction] {
        download?.authorized(token)
        guard download?.asksFor == nil else {
            return denied(work, .init(.accessKeyRefused, "the credentials granted sign no request"), now)
        }
        guard held != nil else { return fetch(work, now) }
        pieces?.isHalted = false
        return goOn(pieces?.goOn(.failed(Self.nothingAsked)), work, now)
    }

    /// Handles the refusal of the credentials. The requests under way may still deliver the rest.
    mutating func denied(_ work: AttemptWork, _ failure: TransferFailure, _ now: Moment) -> [AttemptAction] {
        var work = work
        work.asking = .answers
        guard held != nil else { return conclude(work, .failed(failure), reached: work.reached) }
        pieces?.isHalted = false
        return goOn(pieces?.refusedForGood(.failed(failure)), work, now)
    }

    /// Never reported: an incomplete schedule has something left to request.
    private static let nothingAsked = TransferFailure(.internalError, "nothing is left to request")
}
