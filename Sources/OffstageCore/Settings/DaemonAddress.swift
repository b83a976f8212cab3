// SPDX-License-Identifier: Apache-2.0

/// A daemon's socket and process, as written into its lock file. It lets a client whose variables lead elsewhere, such
/// as a cron job without `XDG_RUNTIME_DIR`, find the daemon.
package struct DaemonAddress: Sendable, Equatable {
    package var process: Int32
    /// Absolute, and short enough for a socket.
    package var socket: String

    /// The longest text of an address, in bytes.
    package static let longestText = 256

    package init(process: Int32, socket: String) {
        self.process = process
        self.socket = socket
    }

    /// Reads a daemon's text; nil for anything else, such as while a daemon is starting.
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

    /// The text for the lock file. A path with a line break makes it unreadable, which readers notice.
    package var text: [UInt8] { Array("\(process)\n\(socket)\n".utf8) }
}
