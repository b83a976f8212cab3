// SPDX-License-Identifier: Apache-2.0

/// The calls and their effects since the start or the last reset. Routes are named as in `EmulatorRoute`.
package struct EmulatorRecord: Sendable, Equatable {
    /// Calls whose head was read, by route.
    package var calls: [String: Int] = [:]
    /// Answers by route and status; `lost` if the connection closed without one.
    package var answers: [String: [String: Int]] = [:]
    /// Bytes of bodies that were read, by route, whatever the outcome.
    package var bodyBytes: [String: Int64] = [:]
    /// Bytes received again, at the same offset of the same session or for the same path and hash.
    package var bytesReceivedTwice: Int64 = 0
    /// Calls that brought such bytes.
    package var chunksReceivedTwice = 0
    /// Revisions that were written.
    package var commits = 0
    /// Commits of content that was already there, which wrote nothing.
    package var unchangedCommits = 0
    /// Access tokens issued for a refresh token.
    package var tokenRefreshes = 0
    /// Access tokens issued for a code.
    package var tokensForCodes = 0
    /// Arguments in headers with a raw 0x7F, which should be escaped.
    package var rawDeleteCharacters = 0
    /// Calls that came before the time in a 429 had passed; they count against the limit as well.
    package var callsBeforeRetryAfter = 0
    /// Bytes that the sink has taken.
    package var sinkBytes: Int64 = 0

    package init() {}

    package func calls(_ route: EmulatorRoute) -> Int { calls[route.rawValue] ?? 0 }
    package func bodyBytes(_ route: EmulatorRoute) -> Int64 { bodyBytes[route.rawValue] ?? 0 }
    package func answers(_ route: EmulatorRoute, _ status: Int) -> Int {
        answers[route.rawValue]?[String(status)] ?? 0
    }

    var json: [String: EmulatorJSON] {
        [
            "calls": .object(calls.mapValues { .integer(Int64($0)) }),
            "answers": .object(answers.mapValues { .object($0.mapValues { .integer(Int64($0)) }) }),
            "body_bytes": .object(bodyBytes.mapValues { .integer($0) }),
            "bytes_received_twice": .integer(bytesReceivedTwice),
            "chunks_received_twice": .integer(Int64(chunksReceivedTwice)),
            "commits": .integer(Int64(commits)),
            "unchanged_commits": .integer(Int64(unchangedCommits)),
            "token_refreshes": .integer(Int64(tokenRefreshes)),
            "tokens_for_codes": .integer(Int64(tokensForCodes)),
            "raw_delete_characters": .integer(Int64(rawDeleteCharacters)),
            "calls_before_retry_after": .integer(Int64(callsBeforeRetryAfter)),
            "sink_bytes": .integer(sinkBytes),
        ]
    }
}
