// SPDX-License-Identifier: Apache-2.0

/// The addresses from which a download in pieces is fetched: first the one in use, then others that have the same file.
///
/// Each request is to one of them. Another address has one request under way until an answer has shown its validator,
/// which its further answers must have: a file that changes there on the way is found out. An address that refuses, or
/// brings nothing, has no further requests in this attempt, and the others bring what it was to bring.
package struct PieceSources: Sendable, Equatable {
    private struct Source: Sendable, Equatable {
        /// Its place in the list of addresses.
        let address: Int
        /// How many requests it may have under way.
        var most: Int
        /// How many its server leaves it at present.
        var room = Int.max
        /// What its further answers must have; nil until one has come, and if they have none.
        var validator: PartialDownload.Validator?
        /// Whether an answer of it has come.
        var hasAnswered = false
        /// Whether it is told why it has no further requests.
        var isLeft = false
    }

    /// An address that has no further requests, and why.
    struct Leaving: Sendable, Equatable {
        let address: Int
        let failure: TransferFailure
    }

    private var all: [Source]
    private var leavings: [Leaving] = []
    /// Why the address in use has no further requests; nil as long as it may have some.
    private(set) var ownEnd: AttemptResult?

    /// The place of the address in use among the sources.
    static let own = 0

    /// - Parameters:
    ///   - own: the place of the address in use in the list of addresses.
    ///   - most: how many requests it may have under way.
    ///   - others: the same of the others.
    package init(own: Int, most: Int, others: [(address: Int, most: Int)]) {
        all = [Source(address: own, most: most)] + others.map { Source(address: $0.address, most: $0.most) }
    }

    /// Whether no source may have further requests.
    var isOver: Bool { all.allSatisfy { $0.most <= 0 } }

    /// Whether another address than the one in use may have further requests.
    var hasOthers: Bool { all.dropFirst().contains { $0.most > 0 } }

    /// The source of one more request: of those that may have one, the one with the fewest under way. Half of the requests
    /// at most are to addresses that have not answered, as long as another may have one: they may never answer.
    ///
    /// - Parameters:
    ///   - underWay: the number of requests under way, by source.
    ///   - most: how many there may be.
    /// - Returns: nil if none may have one.
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

    /// The addresses of the others that may have requests.
    var besides: [Int] { all.dropFirst().filter { $0.most > 0 }.map(\.address) }

    /// The servers of the others have so many connections left now, by address.
    mutating func note(free: [Int: Int], _ underWay: [Int: Int]) {
        for source in all.indices.dropFirst() {
            guard let more = free[all[source].address] else { continue }
            all[source].room = max(0, more).addingClamped(underWay[source] ?? 0)
        }
    }

    /// The place of a source in the list of addresses.
    func address(of source: Int) -> Int? { all.indices.contains(source) ? all[source].address : nil }

    /// What a request to another address is made with; nil for the one in use.
    func beside(_ source: Int, total: Int64) -> PieceBeside? {
        guard source != Self.own, all.indices.contains(source) else { return nil }
        return PieceBeside(address: all[source].address, validator: all[source].validator, total: total)
    }

    /// Another address has answered with a piece of the file.
    mutating func answered(_ source: Int, _ validator: PartialDownload.Validator?) {
        guard source != Self.own, all.indices.contains(source) else { return }
        (all[source].validator, all[source].hasAnswered) = (validator, true)
    }

    /// Whether another address has been asked and has not answered yet.
    func isSilent(_ source: Int) -> Bool {
        source != Self.own && all.indices.contains(source) && !all[source].hasAnswered
    }

    /// An address has no further requests, and nothing is said of it.
    mutating func rest(_ source: Int) {
        if all.indices.contains(source) { all[source].most = 0 }
    }

    /// A request of an address has failed: it has no more than those that are under way. Only the first failure that leaves it
    /// with none is told: the others are of the same turn.
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

    /// The addresses that were left since the last call.
    mutating func takeLeavings() -> [Leaving] {
        defer { leavings = [] }
        return leavings
    }
}

/// What a request for a piece is made with that is not for the address in use.
package struct PieceBeside: Sendable, Equatable {
    /// The place of its address in the list.
    package let address: Int
    /// What its answer must have; nil if any will do.
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
