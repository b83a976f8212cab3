// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// What carries attempts out: libcurl in the daemon. Calls come from the queue; none blocks.
package protocol TransferEngine: Sendable {
    func start(_ requests: [EngineRequest])
    func stop(_ id: TransferID, attempt: Int)
    /// Changes the share of bandwidth of an attempt that runs.
    func setRateLimit(_ id: TransferID, attempt: Int, bytesPerSecond: Int64?)
    /// Breaks everything off and returns when no descriptor is used any more.
    func shutDown()
}
