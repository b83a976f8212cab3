// SPDX-License-Identifier: Apache-2.0

/// A call that a file system has not yet answered: for a file, or for a sign of life from the thread that reads and
/// writes files there. After some time, the file system counts as unresponsive.
package struct UnansweredCall: Sendable, Equatable {
    /// How often calls are checked, in seconds.
    package static let interval = 5.0
    /// How long a call may stay unanswered before its file system counts as unresponsive, in seconds.
    package static let patience = 15.0

    /// When the call was made, or was first checked, in seconds of uptime.
    private let since: Double

    package init(at uptime: Double) {
        since = uptime
    }

    /// Whether the file system counts as unresponsive.
    package func isStalled(at uptime: Double) -> Bool { uptime - since >= Self.patience }
}
