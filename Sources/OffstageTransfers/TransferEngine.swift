// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Carries out requests: libcurl in the daemon. Calls come from the queue; none blocks.
package protocol TransferEngine: Sendable {
    func start(_ requests: [EngineRequest])
    func stop(_ key: RequestKey)
    /// Changes the bandwidth share of a running request.
    func setRateLimit(_ key: RequestKey, bytesPerSecond: Int64?)
    /// Ends a download's request when it reaches this byte: at once if it has. `ended` follows with its answer.
    func setEnd(_ key: RequestKey, _ end: Int64)
    /// Breaks off everything and returns when no descriptor is used any more.
    func shutDown()
}
