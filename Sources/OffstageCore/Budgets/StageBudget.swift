// SPDX-License-Identifier: Apache-2.0

/// Limits for what an app's process reports about itself. The table in docs/limits.md has the same numbers.
package struct StageBudget: Sendable, Hashable {
    /// Bytes of a report.
    package var report = 64 << 10
    /// Reports that wait while their process is being attached, and their bytes.
    package var waitingReports = 1024
    package var waitingBytes = 256 << 10
    /// Background tasks that a process has open at a time; any beyond these keep nothing running.
    package var backgroundTasks = 1024
    /// Bytes of a background task's name.
    package var taskName = 1024
    /// Sessions whose events a process handles at a time.
    package var sessions = 1024
    /// Deferred tasks that a process runs, and deferred tasks that it remembers.
    package var deferredTasks = 1024
    /// Bytes of the title of continued processing, and of its subtitle, as in a request.
    package var progressText = 4096

    package init() {}

    /// Why a process cannot have the session; nil if it can.
    func problem(_ session: String) -> String? {
        guard session.utf8.count > SessionName.longestIdentifier else { return nil }
        return "The identifier of a session has at most \(SessionName.longestIdentifier) bytes"
    }
}
