// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Carries out requests; in the daemon, with libcurl. The queue calls it; no call blocks.
package protocol TransferEngine: Sendable {
    func start(_ requests: [EngineRequest])
    func stop(_ key: RequestKey)
    /// Changes the bandwidth share of a running request.
    func setRateLimit(_ key: RequestKey, bytesPerSecond: Int64?)
    /// Ends a download's request when it reaches this byte: at once if it has. `ended` follows with its answer.
    func setEnd(_ key: RequestKey, _ end: Int64)
    /// Finds requests that wait for a file system that has not responded for some time. Call it every
    /// `UnansweredCall.interval` seconds.
    ///
    /// - Parameter uptime: the time, in seconds of the loop's clock.
    /// - Returns: their transfers.
    func stalled(at uptime: Double) -> Set<TransferID>
    /// Breaks off everything and returns when no descriptor is used any more.
    func shutDown()
    /// Breaks off everything, and waits until no descriptor is used any more, but no longer than that many seconds; nil
    /// for no limit. May be called again.
    ///
    /// - Returns: whether no descriptor is used any more.
    @discardableResult
    func shutDown(within seconds: Double?) -> Bool
}

extension TransferEngine {
    package func stalled(at uptime: Double) -> Set<TransferID> { [] }
    package func shutDown(within seconds: Double?) -> Bool {
        shutDown()
        return true
    }
}
