// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Carries out requests: libcurl in the daemon. Calls come from the queue; none blocks.
package protocol TransferEngine: Sendable {
    func start(_ requests: [EngineRequest])
    func stop(_ key: RequestKey)
    /// Changes the bandwidth share of a running request.
    func setRateLimit(_ key: RequestKey, bytesPerSecond: Int64?)
    /// Breaks off everything and returns when no descriptor is used any more.
    func shutDown()
}
