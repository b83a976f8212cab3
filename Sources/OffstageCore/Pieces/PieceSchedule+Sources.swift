// SPDX-License-Identifier: Apache-2.0

/// Pieces from several addresses.
extension PieceSchedule {
    /// Lets other addresses deliver pieces as well; nil for only the address in use.
    package mutating func share(among sources: PieceSources?) { self.sources = sources }

    /// The number of requests under way at each address other than the one in use, by its place in the list of
    /// addresses.
    package var lanesBeside: [Int: Int] {
        guard let sources else { return [:] }
        var counts: [Int: Int] = [:]
        for (source, count) in lanesOfSources where source != PieceSources.own {
            if let address = sources.address(of: source) { counts[address] = count }
        }
        return counts
    }

    /// The number of requests under way, by source.
    var lanesOfSources: [Int: Int] {
        lanes.values.reduce(into: [:]) { $0[$1.source, default: 0] += 1 }  // checked: a few lanes
    }

    /// The source of one more request; nil if no source may have another.
    var nextSource: Int? {
        guard let sources else { return PieceSources.own }
        return sources.next(lanesOfSources, of: most)
    }

    /// Whether the file is fetched from several addresses.
    var isShared: Bool { sources != nil && isDivided }

    /// Whether an address has been asked but has not answered yet. Until it does, the rate does not show how many
    /// connections are worthwhile.
    var awaitsFirstAnswer: Bool { lanes.values.contains { sources?.isSilent($0.source) == true } }

    /// How many more requests the other addresses may have.
    var spareBeside: Int { sources?.spare(lanesOfSources) ?? 0 }

    /// Records how many more connections the hosts of the other addresses have left.
    mutating func update(free: [Int: Int]) {
        let lanes = lanesOfSources
        sources?.update(free: free, lanes)
    }

    /// The parameters of a lane's request to another address; nil if it goes to the address in use.
    func requestBeside(_ lane: Int) -> PieceBeside? {
        guard let total, let entry = lanes[lane] else { return nil }
        return sources?.beside(entry.source, total: total)
    }

    /// Handles the answer of the address in use to the first request. With several addresses, this answer is the one
    /// finally reported, whichever address delivers the last byte: its validators, date and address belong to the
    /// transfer's URL.
    mutating func answeredFirst(_ answer: Answer?) {
        if sources != nil, let answer { self.answer = answer }
    }

    /// Handles the answer of another address to a lane's request: the requested piece.
    ///
    /// - Returns: the actions that follow, in order: that address may now have further requests.
    mutating func answeredBeside(_ lane: Int, _ validator: PartialDownload.Validator?) -> [Order] {
        guard let source = lanes[lane]?.source else { return [] }
        sources?.answered(source, validator)
        return fill()
    }

    /// Takes over the bytes of a request to another address that has not answered yet, if there is nothing else to
    /// fetch.
    ///
    /// - Parameter asked: the requests that have been made already.
    /// - Returns: nil if all have answered.
    mutating func claimFromSilent(_ asked: [Int: Lane]) -> Range<Int64>? {
        guard let sources,
            let (lane, entry) = lanes.first(where: {
                asked[$0.key] != nil && sources.isSilent($0.value.source) && $0.value.brought == 0
                    && $0.value.remaining > 0
            })
        else { return nil }
        self.sources?.rest(entry.source)
        lanes[lane]?.end = entry.reached
        return missing(of: entry)
    }

    /// The seconds that a lane stays idle before it requests bytes that another address has yet to deliver.
    private static let patience = 5.0

    /// Handles the passage of time. A lane that has long been idle, with nothing left to request, fetches bytes that
    /// another address was asked for: that address might deliver them as slowly as it likes, byte by byte.
    ///
    /// - Parameter uptime: the time, in seconds.
    /// - Returns: the actions to carry out.
    mutating func relieve(uptime: Double) -> [Order] {
        guard sources != nil, let total, lanes.count < most else {
            idleFrom = nil
            return []
        }
        let isIdle = unclaimed(total).isEmpty
        let since = min(idleFrom ?? uptime, uptime)
        idleFrom = isIdle ? since : nil
        // In any case, a host may have a free connection again.
        return fill(asksTwice: isIdle && uptime - since >= Self.patience)  // checked: of type Double
    }

    /// Bytes that a request to another address has yet to deliver, and that this address was not asked for.
    ///
    /// - Parameters:
    ///   - source: the address to ask.
    ///   - asked: the requests that have been made already.
    /// - Returns: nil if there are no such bytes.
    func restOfOther(_ source: Int, _ asked: [Int: Lane]) -> Range<Int64>? {
        let own = lanes.values.filter { $0.source == source }
        for lane in asked.keys.sorted() {
            guard let entry = lanes[lane], entry.source != source, let rest = missing(of: entry) else { continue }
            if !own.contains(where: { $0.reached < rest.upperBound && rest.lowerBound < $0.end }) { return rest }
        }
        return nil
    }

    /// Handles the end of a lane's request when there are several addresses: the others take over its missing bytes.
    mutating func endedAmongSeveral(_ entry: Lane, _ result: AttemptResult) -> Step {
        switch result {
        case .answered(let answer):
            guard entry.isOpenEnded || answer.status == 206 else {
                let failure = TransferFailure("the server", answered: answer)
                let isFinal = failure.retryClass == .permanent && entry.source != PieceSources.own
                return failed(entry, failure, result, isFinal: isFinal)
            }
            if self.answer == nil || entry.isOpenEnded { self.answer = answer }
            return goOn(result)
        case .failed(let failure):
            if Self.ofThisMachine.contains(failure.code) { return .end(result) }
            switch failure.retryClass {
            case .connection where entry.brought >= Self.smallestPiece:
                // A request that has delivered bytes is repeated, unless it is the last one: in that case a pause comes
                // first.
                let isLast = lanes.isEmpty && entry.source == PieceSources.own && sources?.hasOthers != true
                return isLast ? .end(result) : goOn(sources?.ownEnd ?? result)
            case .connection, .busy: return failed(entry, failure, result, isFinal: false)
            case .misbehaviour, .permanent: return failed(entry, failure, result, isFinal: true)
            }
        case .mustBeginAgain(let ignoresRanges):
            let words = ignoresRanges ? "the server sends no parts of the file" : "the file at the server has changed"
            return failed(entry, TransferFailure(.serverMisbehaves, words), result, isFinal: true)
        case .challenged, .withheld: return .end(result)
        }
    }

    private mutating func failed(
        _ entry: Lane,
        _ failure: TransferFailure,
        _ result: AttemptResult,
        isFinal: Bool
    ) -> Step {
        if entry.source == PieceSources.own { growth?.settle() }
        let underWay = isFinal ? 0 : lanesOfSources[entry.source] ?? 0
        sources?.failed(entry.source, failure, result, underWay: underWay)
        // To the transfer, this is an attempt at the address in use.
        let told = sources?.ownEnd ?? result
        if sources?.isOver == true, refusal == nil { refusal = told }
        return goOn(told)
    }
}
