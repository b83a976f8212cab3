// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// Information about the daemon itself, for its routes, and a way to stop it.
struct DaemonInformation: Sendable {
    var paths: OffstagePaths
    /// The path at which clients reach the daemon. Called on the loop.
    var socketPath: @Sendable () -> String
    var storeToken: String
    var notices: @Sendable () -> [String]
    var startedBy: String
    var startedAt: Date
    var uptime: @Sendable () -> Double
    /// Called on the loop.
    var network: @Sendable () -> String
    /// Why nothing can be shown on a desktop; nil if something can be.
    var desktopProblem: @Sendable () -> String?
    var requestStop: @Sendable () -> Void
}
