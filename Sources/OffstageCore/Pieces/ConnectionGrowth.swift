// SPDX-License-Identifier: Apache-2.0

/// Chooses how many connections a download uses if its owner has not: one at first, then twice as many while that pays
/// off.
///
/// The rate is measured over a few seconds. A download that would take much longer gets twice the connections. If the
/// rate clearly improves, they are doubled again; otherwise the last ones are given back. If one connection saturates
/// the network, that is tried only once. A download that will end soon is never divided.
package struct ConnectionGrowth: Sendable, Equatable {
    /// The most connections.
    package let most: Int
    /// The beginning of the current measurement; nil before the first.
    private var start: Start?
    /// Bytes a second before the last change; nil before the first.
    private var rateBefore: Double?
    package private(set) var isSettled = false

    private struct Start: Sendable, Equatable {
        var uptime: Double
        var bytes: Int64
    }

    /// Seconds of one measurement.
    package static let window = 3.0
    /// Seconds that a download must still take for more connections to be worth it.
    package static let leastTimeLeft = 10.0
    /// The least speed-up for which doubled connections are kept.
    package static let leastGain = 1.3
    /// The most connections that are ever chosen: more would starve other transfers for little gain.
    package static let greatest = 8

    package init(most: Int) { self.most = min(most, Self.greatest) }

    /// Stops growing: the server has refused a connection.
    package mutating func settle() { isSettled = true }

    /// Discards the current measurement.
    mutating func pause() { start = nil }

    /// - Parameters:
    ///   - connections: the connections in use.
    ///   - limit: the most connections that the host can give it, including those in use.
    ///   - bytes: the bytes that have arrived so far; only their growth counts.
    ///   - remaining: the missing bytes.
    ///   - uptime: the time, in seconds.
    /// - Returns: how many connections to use from now on; nil for no change.
    package mutating func next(
        connections: Int,
        limit: Int = .max,
        bytes: Int64,
        remaining: Int64,
        uptime: Double
    ) -> Int? {
        let most = min(most, limit)
        guard !isSettled, connections < most || rateBefore != nil else { return nil }
        guard let start, uptime >= start.uptime, bytes >= start.bytes else {
            self.start = Start(uptime: uptime, bytes: bytes)
            return nil
        }
        let seconds = uptime - start.uptime
        guard seconds >= Self.window else { return nil }
        self.start = Start(uptime: uptime, bytes: bytes)
        let rate = Double(bytes.subtractingClamped(start.bytes)) / seconds
        if let rateBefore, rate < rateBefore * Self.leastGain {
            isSettled = true
            return max(1, connections / 2)
        }
        // A pause says nothing about the network.
        guard rate > 0, connections < most, Double(remaining) > rate * Self.leastTimeLeft else {
            rateBefore = nil
            return nil
        }
        rateBefore = rate
        return min(most, connections.addingClamped(connections))
    }
}
