// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore

/// The output of a command: standard output and error, or memory in tests. For one thread.
package final class Output {
    /// Columns of the terminal, if standard output is one; otherwise 0.
    package var columns: Int { fixedColumns ?? Int(offstage_terminal_columns(1)) }
    /// Rows of that terminal; 0 if it is not one, and in memory.
    package var rows: Int { isCaptured ? 0 : Int(offstage_terminal_rows(1)) }
    package let usesColour: Bool
    /// Whether the terminal declares itself dumb. It then obeys no control sequences, and lines cannot be redrawn.
    private let isDumb: Bool
    /// The captured output, if nothing is written to descriptors.
    package private(set) var printed = ""
    package private(set) var complained = ""

    /// Why some output could not be written to standard output, as a sentence; nil if everything was written.
    package private(set) var problem: String?

    private let fixedColumns: Int?
    private let isCaptured: Bool

    /// The process's own standard output and error; respects `NO_COLOR` and `TERM=dumb`.
    package init(environment: [String: String]) {
        fixedColumns = nil
        isCaptured = false
        isDumb = environment["TERM"] == "dumb"
        usesColour =
            offstage_terminal_columns(1) > 0 && environment["NO_COLOR"].map(\.isEmpty) ?? true && !isDumb
    }

    /// Keeps everything in memory, as if printed on a terminal with this many columns, or on no terminal.
    package init(capturedColumns: Int, usesColour: Bool = false, isDumb: Bool = false) {
        fixedColumns = capturedColumns
        isCaptured = true
        self.isDumb = isDumb
        self.usesColour = usesColour
    }

    package var isTerminal: Bool { columns > 0 }
    /// Whether lines can be redrawn in place.
    package var isDrawable: Bool { isTerminal && !isDumb }

    /// The descriptor written to; -1 in memory.
    package var descriptor: Int32 { isCaptured ? -1 : STDOUT_FILENO }

    /// Prints one line, or several, without control sequences except our own colours, whatever the text's origin.
    package func print(_ line: String) { write(Self.fit(line) + "\n") }

    /// Prints text unchanged.
    package func write(_ text: String) {
        if isCaptured { return printed += text }
        if let code = Self.write(text, to: 1), problem == nil {
            problem =
                "Standard output cannot be written (\(String(cString: strerror(code)))): what was printed is not complete."
        }
    }

    /// Prints one line on standard error.
    package func complain(_ line: String) {
        let line = Self.fit(line) + "\n"
        if isCaptured { complained += line } else { _ = Self.write(line, to: 2) }
    }

    /// Makes text safe for a terminal. Its parts are cleaned where they are assembled, and once more here, so a
    /// forgotten place does no harm.
    static func fit(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 32 && $0 != 10 || $0 >= 127 }) else { return text }
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { line in
            var parts = line.split(separator: "\u{1B}", omittingEmptySubsequences: false).map { String($0) }[...]
            var result = parts.popFirst()?.redactedControls ?? ""
            for part in parts {
                let colour = Style.codes.first { part.hasPrefix($0) }
                result += colour.map { "\u{1B}\($0)" } ?? "\u{FFFD}"
                result += part.dropFirst(colour?.count ?? 0).description.redactedControls
            }
            return result
        }.joined(separator: "\n")
    }

    /// Writes a text. Returns nil, or the error that prevented the remainder from being written.
    private static func write(_ text: String, to descriptor: Int32) -> Int32? {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}
