// SPDX-License-Identifier: Apache-2.0

/// The requests of an attempt whose file is open, and what its next request waits for.
package struct AttemptWork: Sendable, Equatable {
    /// A request under way.
    package struct Lane: Sendable, Equatable {
        /// The byte of the file at which it began.
        var offset: Int64
        /// The byte that it has reached.
        var reached: Int64
    }

    /// What the dialect's next step waits for. In the meantime, the dialect is not asked for another step.
    package enum Asking: Sendable, Equatable {
        /// Only the answers of requests under way.
        case answers
        /// The commit of the state on which the request depends, and the keeper.
        case commit(DialectRequest, memory: [UInt8]?)
        /// Digests of the source.
        case digests
        /// A token, or a key that signs.
        case token(CredentialSource)
    }

    /// The request for the head of a download's file, before the file itself.
    package enum Inquiry: Sendable, Equatable {
        case notSent, underWay, over
    }

    /// Requests under way, by their lanes.
    package internal(set) var lanes: [Int: Lane] = [:]
    package internal(set) var asking = Asking.answers
    /// Whether the head of a download's file has yet to be requested.
    package internal(set) var inquiry = Inquiry.notSent
    /// The span that is being hashed.
    package internal(set) var hashing: HashingSpan?
    var spans = 0
    /// Whether the dialect has been given a token.
    var hasToken = false
    /// Whether the keeper must confirm the known state before anything is sent: an attempt's first request waits, too.
    package internal(set) var mustBeKept: Bool
    /// Whether the keeper was unavailable when it was needed: nothing more is sent, and the attempt ends with the
    /// requests under way.
    package internal(set) var isWithheld = false
    /// The dialect's memory as it was last committed, and as it was last noted with the transfer.
    var committed: [UInt8]?
    var noted: [UInt8]?
    /// The byte that the transfer has reached with the last answered request.
    var reached: Int64

    init(memory: [UInt8]?, offset: Int64, mustBeKept: Bool = false) {
        self.mustBeKept = mustBeKept
        committed = memory
        noted = memory
        reached = offset
    }

    mutating func startHashing(
        _ range: Range<Int64>,
        _ yield: HashingSpan.Yield,
        isAwaited: Bool
    ) -> HashingSpan {
        spans += 1
        let span = HashingSpan(number: spans, range: range, yield: yield, isAwaited: isAwaited)
        hashing = span
        return span
    }
}
