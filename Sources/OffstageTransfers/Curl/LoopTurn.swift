// SPDX-License-Identifier: Apache-2.0

/// What attempts leave for the loop during one of its turns.
final class LoopTurn {
    private var events: [EngineEvent] = []
    private var yielded: [CurlAttempt] = []
    /// Tracks the bytes of answers on the disk.
    let spools = SpoolBook.shared
    /// Holds bytes that would be written slowly from their address.
    let bounceBuffer = BounceBuffer()
    /// Which servers are asked for a go-ahead before a body is sent.
    let goAheads = GoAheadBook()
    /// Which transfers' next attempt uses HTTP/1.1.
    var brokenStreams = BrokenStreamBook()
    /// The number of the turn; increases by one each turn.
    private(set) var number = 0

    func append(_ event: EngineEvent) {
        events.append(event)
    }

    func takeEvents() -> [EngineEvent] {
        number &+= 1
        defer { events = [] }
        return events
    }

    /// Records an attempt that has paused to let others have their turn.
    func yield(_ attempt: CurlAttempt) {
        yielded.append(attempt)
    }

    func takeYielded() -> [CurlAttempt] {
        guard !yielded.isEmpty else { return [] }
        defer { yielded = [] }
        return yielded
    }
}
