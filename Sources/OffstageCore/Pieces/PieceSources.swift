// SPDX-License-Identifier: Apache-2.0

/// The addresses from which a download in pieces is fetched: the one in use first, then others that have the same file.
///
/// Each request goes to one of them. An address other than the one in use has a single request under way until an
/// answer has shown its validator. Its further answers must have the same one, so a file that changes there during the
/// download is detected. An address that refuses, or delivers nothing, gets no further requests in this attempt, and
/// the others take over its bytes.
package struct PieceSources: Sendable, Equatable {
    private struct Source: Sendable, Equatable {
        /// Its place in the list of addresses.
        let address: Int
        /// The most requests that it may have under way.
        var most: Int
        /// The number of connections that its host currently has left for it.
        var room = Int.max
        /// The validator that its further answers must have; nil before the first answer, or if its answers have none.
        var validator: PartialDownload.Validator?
        /// Whether it has answered.
        var hasAnswered = false
        /// Whether its end was recorded: in `ownEnd` or in `leavings`.
        var isLeft = false
    }

    /// An address that gets no further requests, and the reason.
    struct Leaving: Sendable, Equatable {
        let address: Int
        let failure: TransferFailure
    }

    private var all: [Source]
    private var leavings: [Leaving] = []
    /// The result that made the address in use get no further requests; nil as long as it may have some.
    private(set) var ownEnd: AttemptResult?

    /// The place of the address in use among the sources.
    static let own = 0

    /// - Parameters:
    ///   - own: the place of the address in use in the list of addresses.
    ///   - most: the most requests that it may have under way.
    ///   - others: the other addresses, each with the most requests that it may have under way.
    package init(own: Int, most: Int, others: [(address: Int, most: Int)]) {
        all = [Source(address: own, most: most)] + others.map { Source(address: $0.address, most: $0.most) }
    }

    /// The addresses that may deliver pieces in an attempt that begins; nil if the one in use is the only one.
    ///
    /// This requires a checksum: only a checksum shows at the end whether several servers have sent the same file. It
    /// also requires a transfer without needs of the machine, since those may be met for one server and not for
    /// another.
    ///
    /// - Parameters:
    ///   - transfer: the download.
    ///   - now: the time.
    ///   - own: the most requests that the address in use may have under way.
    ///   - free: the most requests that another address may have.
    package init?(of transfer: Transfer, now: Moment, own: Int, free: (RequestURL) -> Int) {
        let spec = transfer.spec
        guard let mirrors = spec.mirrors, !mirrors.keepsApart, spec.wantedChecksum != nil, spec.needs.isEmpty else {
            return nil
        }
        let others = mirrors.ready(now: now).map { (address: $0, most: free(mirrors.addresses[$0].url)) }
            .filter { $0.most > 0 }
        guard !others.isEmpty else { return nil }
        self.init(own: mirrors.current, most: own, others: others)
    }

    /// Whether no source may have further requests.
    var isOver: Bool { all.allSatisfy { $0.most <= 0 } }

    /// Whether an address other than the one in use may have further requests.
    var hasOthers: Bool { all.dropFirst().contains { $0.most > 0 } }

    /// The source of one more request: the one with the fewest under way. At most half of the requests go to addresses
    /// that have not answered, which may never answer, as long as another address may have one.
    ///
    /// - Parameters:
    ///   - underWay: the number of requests under way, by source.
    ///   - most: the most requests that may be under way.
    /// - Returns: nil if no source may have another.
    func next(_ underWay: [Int: Int], of most: Int) -> Int? {
        let able = all.indices.filter { underWay[$0] ?? 0 < limit(of: $0) }
        let known = able.filter { !isSilent($0) }
        let unanswered = underWay.reduce(0) { isSilent($1.key) ? $0.addingClamped($1.value) : $0 }
        let mayWait = unanswered < max(1, most / 2)  // checked: not by 0
        return (mayWait || known.isEmpty ? able : known)
            .min { (underWay[$0] ?? 0, $0) < (underWay[$1] ?? 0, $1) }
    }

    /// How many more requests the other addresses may have.
    func spare(_ underWay: [Int: Int]) -> Int {
        all.indices.dropFirst().reduce(0) {
            $0.addingClamped(max(0, min(all[$1].most, all[$1].room).subtractingClamped(underWay[$1] ?? 0)))
        }
    }

    private func limit(of source: Int) -> Int {
        let most = min(all[source].most, all[source].room)
        return source != Self.own && all[source].validator == nil ? min(1, most) : most
    }

    /// The other addresses that may have requests.
    var besides: [Int] { all.dropFirst().filter { $0.most > 0 }.map(\.address) }

    /// Records how many more connections the other addresses' hosts have left, by address.
    mutating func update(free: [Int: Int], _ underWay: [Int: Int]) {
        for source in all.indices.dropFirst() {
            guard let more = free[all[source].address] else { continue }
            all[source].room = max(0, more).addingClamped(underWay[source] ?? 0)
        }
    }

    /// The place of a source in the list of addresses.
    func address(of source: Int) -> Int? { all.indices.contains(source) ? all[source].address : nil }

    /// The parameters of a request to another address; nil for the one in use.
    func beside(_ source: Int, total: Int64) -> PieceBeside? {
        guard source != Self.own, all.indices.contains(source) else { return nil }
        return PieceBeside(address: all[source].address, validator: all[source].validator, total: total)
    }

    /// Records that another address has answered with a piece of the file.
    mutating func answered(_ source: Int, _ validator: PartialDownload.Validator?) {
        guard source != Self.own, all.indices.contains(source) else { return }
        (all[source].validator, all[source].hasAnswered) = (validator, true)
    }

    /// Whether another address has been asked and has not answered yet.
    func isSilent(_ source: Int) -> Bool {
        source != Self.own && all.indices.contains(source) && !all[source].hasAnswered
    }

    /// Stops giving an address requests, without a report.
    mutating func rest(_ source: Int) {
        if all.indices.contains(source) { all[source].most = 0 }
    }

    /// Handles the failure of a request to an address, which gets no more requests than those under way. Only the first
    /// failure that leaves it without requests is recorded: the others belong to the same turn.
    mutating func failed(_ source: Int, _ failure: TransferFailure, _ result: AttemptResult, underWay: Int) {
        guard all.indices.contains(source) else { return }
        all[source].most = min(all[source].most, max(0, underWay))
        guard all[source].most == 0, !all[source].isLeft else { return }
        all[source].isLeft = true
        if source == Self.own {
            ownEnd = result
        } else {
            leavings.append(Leaving(address: all[source].address, failure: failure))
        }
    }

    /// Returns the addresses that were left since the last call.
    mutating func takeLeavings() -> [Leaving] {
        defer { leavings = [] }
        return leavings
    }
}

/// The parameters of a request for a piece to an address other than the one in use.
package struct PieceBeside: Sendable, Equatable {
    /// The place of its address in the list.
    package let address: Int
    /// The validator that its answer must have; nil if any will do.
    let validator: PartialDownload.Validator?
    /// The length that the file must have there.
    package let total: Int64

    /// The facts about the file at that address.
    package var partial: PartialDownload {
        var partial = PartialDownload(validator: validator, totalBytes: total, bootID: "")
        if validator == nil { partial.adopt() }
        return partial
    }
}
