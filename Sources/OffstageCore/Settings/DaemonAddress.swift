// SPDX-License-Identifier: Apache-2.0

/// Where a daemon listens and which process it is, as it writes them into its lock file: whoever works out another
/// place from other variables, such as a job of cron without `XDG_RUNTIME_DIR`, finds it all the same.
package struct DaemonAddress: Sendable, Equatable {
    package var process: Int32
    /// Absolute, and short enough for a socket.
    package var socket: String

    /// The longest text of one, in bytes.
    package static let longestText = 256

    package init(process: Int32, socket: String) {
        self.process = process
        self.socket = socket
    }

    /// Reads what a daemon has written; nil for anything else, as from a daemon that was just beginning.
    package init?(_ text: some BidirectionalCollection<UInt8>) {
        guard text.count <= Self.longestText, text.last == UInt8(ascii: "\n"),
            let whole = String(validating: text.dropLast(), as: UTF8.self)
        else { return nil }
        let lines = whole.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 2, let process = Int32(lines[0]), process > 0, "\(process)" == lines[0] else { return nil }
        let socket = String(lines[1])
        guard socket.hasPrefix("/"), socket.utf8.count <= OffstagePaths.longestSocketPath,
            socket.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f })
        else { return nil }
        self.init(process: process, socket: socket)
    }

    /// What stands in the lock file. A path that breaks lines is left for others to find out.
    package var text: [UInt8] { Array("\(process)\n\(socket)\n".utf8) }
}
