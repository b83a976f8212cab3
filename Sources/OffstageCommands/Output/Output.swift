// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// Where a command prints: standard output and error, or memory in tests. For one thread.
package final class Output {
    /// Columns of the terminal that standard output is; 0 when it is none.
    package var columns: Int { fixedColumns ?? Int(offstage_terminal_columns(1)) }
    package let usesColour: Bool
    /// What has been printed, when nothing goes to descriptors.
    package private(set) var printed = ""
    package private(set) var complained = ""

    private let fixedColumns: Int?
    private let isCaptured: Bool

    /// The process's own standard output and error; `NO_COLOR` and `TERM=dumb` are heeded.
    package init(environment: [String: String]) {
        fixedColumns = nil
        isCaptured = false
        usesColour =
            offstage_terminal_columns(1) > 0 && environment["NO_COLOR"].map(\.isEmpty) ?? true
            && environment["TERM"] != "dumb"
    }

    /// Keeps everything in memory, as if printed on a terminal of so many columns, or on none.
    package init(capturedColumns: Int, usesColour: Bool = false) {
        fixedColumns = capturedColumns
        isCaptured = true
        self.usesColour = usesColour
    }

    package var isTerminal: Bool { columns > 0 }

    /// Prints one line.
    package func print(_ line: String) { write(line + "\n") }

    /// Prints text as it is.
    package func write(_ text: String) {
        if isCaptured { printed += text } else { Self.write(text, to: 1) }
    }

    /// Prints one line on standard error.
    package func complain(_ line: String) {
        if isCaptured { complained += line + "\n" } else { Self.write(line + "\n", to: 2) }
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                // Nobody reads any more, or the disk is full: there is nowhere to say so.
                return
            }
        }
    }
}
