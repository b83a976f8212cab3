// SPDX-License-Identifier: Apache-2.0

/// Something that a file system is to do and has not done: a call for a file, or a sign of life of the thread that reads
/// and writes files there. After some time, that file system counts as one that does not answer.
package struct UnansweredCall: Sendable, Equatable {
    /// How often calls are looked at, in seconds.
    package static let interval = 5.0
    /// For how long a call has not been answered when its file system counts as one that does not answer, in seconds.
    package static let patience = 15.0

    /// When the call was made, or was first looked at, in seconds of the uptime.
    private let since: Double

    package init(at uptime: Double) {
        since = uptime
    }

    /// Whether the file system counts as one that does not answer.
    package func isStalled(at uptime: Double) -> Bool { uptime - since >= Self.patience }
}
