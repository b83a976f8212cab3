// SPDX-License-Identifier: Apache-2.0
import COffstageOS
import Glibc
import Synchronization

/// Writes lines to standard error. From any thread. It never waits: lines that are not read in time are lost, and
/// counted.
package final class StandardError: Sendable {
    private struct State: Sendable {
        /// Whether the last line was cut off.
        var isBroken = false
        var lost = 0
    }

    private let descriptor: Int32
    private let state = Mutex(State())

    /// - Parameter descriptor: the descriptor to write lines to.
    package init(descriptor: Int32 = STDERR_FILENO) { self.descriptor = descriptor }

    /// Writes a line, with its line break. Other threads' lines do not interrupt it.
    package func write(_ line: String) {
        state.withLock { state in
            // A single write, which a pipe accepts completely or not at all.
            let note = state.lost > 0 ? "os: lost entries, since nobody read in time: \(state.lost)\n" : ""
            let (written, whole) = put((state.isBroken ? "\n" : "") + note + line)
            if whole {
                state = State()
            } else {
                if written > 0 { state.isBroken = true }
                state.lost = min(state.lost + 1, 1_000_000_000)
            }
        }
    }

    /// Whether the journal reads this descriptor: `JOURNAL_STREAM` names its device and inode.
    package func isJournal(_ stream: String?) -> Bool {
        var status = stat()
        guard let stream, fstat(descriptor, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    private func put(_ text: String) -> (written: Int, whole: Bool) {
        var text = text
        return text.withUTF8 { bytes in
            let written = max(0, offstage_os_write(descriptor, bytes.baseAddress, bytes.count))
            return (written, written >= bytes.count)
        }
    }
}
