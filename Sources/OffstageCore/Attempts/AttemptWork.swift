// SPDX-License-Identifier: Apache-2.0

/// The requests of an attempt whose file is open, and what the next of them waits for.
package struct AttemptWork: Sendable, Equatable {
    /// A request under way.
    package struct Lane: Sendable, Equatable {
        /// The byte of the file that it began at.
        var offset: Int64
        /// The byte that it has got to.
        var reached: Int64
    }

    /// What the dialect's next step waits for. It is not asked for another one meanwhile.
    package enum Asking: Sendable, Equatable {
        /// Nothing but the answers of requests under way.
        case answers
        /// The commit of what the request depends on.
        case commit(DialectRequest, memory: [UInt8]?)
        /// Digests of the source.
        case digests
        /// A token of an account.
        case token(account: String)
    }

    /// Requests under way, by their lanes.
    package internal(set) var lanes: [Int: Lane] = [:]
    package internal(set) var asking = Asking.answers
    /// What is being hashed.
    package internal(set) var hashing: HashingSpan?
    var spans = 0
    /// Whether the dialect has been given a token.
    var hasToken = false
    /// The dialect's memory as it was last committed, and as it was last noted with the transfer.
    var committed: [UInt8]?
    var noted: [UInt8]?
    /// The byte that the last answered request has brought the transfer to.
    var reached: Int64

    init(memory: [UInt8]?, offset: Int64) {
        committed = memory
        noted = memory
        reached = offset
    }

    mutating func startHashing(_ range: Range<Int64>, isAwaited: Bool) -> HashingSpan {
        spans += 1
        let span = HashingSpan(number: spans, range: range, isAwaited: isAwaited)
        hashing = span
        return span
    }
}
