// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What the routes say about the daemon itself, and the way to end it.
struct DaemonInformation: Sendable {
    var paths: OffstagePaths
    /// Where clients reach the daemon. Called on the loop.
    var socketPath: @Sendable () -> String
    var storeToken: String
    var notices: @Sendable () -> [String]
    var startedBy: String
    var uptime: @Sendable () -> Double
    /// Called on the loop.
    var network: @Sendable () -> String
    var requestStop: @Sendable () -> Void
}
