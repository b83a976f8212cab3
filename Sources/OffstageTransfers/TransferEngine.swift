// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// What carries requests out: libcurl in the daemon. Calls come from the queue; none blocks.
package protocol TransferEngine: Sendable {
    func start(_ requests: [EngineRequest])
    func stop(_ key: RequestKey)
    /// Changes the share of bandwidth of a request that is under way.
    func setRateLimit(_ key: RequestKey, bytesPerSecond: Int64?)
    /// Breaks everything off and returns when no descriptor is used any more.
    func shutDown()
}
