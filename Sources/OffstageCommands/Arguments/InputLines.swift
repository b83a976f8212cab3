// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A list on standard input: one entry per line, with a tab between an entry's two parts.
package enum InputLines {
    /// One line of the list.
    package struct Entry: Sendable, Equatable {
        /// From 1.
        package var number: Int
        package var first: String
        package var second: String?

        package init(number: Int, first: String, second: String?) {
            self.number = number
            self.first = first
            self.second = second
        }
    }

    /// Everything on standard input.
    package static func readStandardInput() throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(0, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure("Standard input cannot be read: \(String(cString: strerror(errno))).")
            }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// One line of standard input, of at most 64 KiB; nil at its end. Reads nothing beyond the line, and never waits
    /// for more.
    package static func readLine() throws -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < 65_536 {
            let count = read(0, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure("Standard input cannot be read: \(String(cString: strerror(errno))).")
            }
            if count == 0, bytes.isEmpty { return nil }
            if count == 0 || byte == 10 { break }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The entries, without empty lines.
    ///
    /// - Parameters:
    ///   - bytes: the lines.
    ///   - before: lines that came before these.
    /// - Returns: the entries.
    /// - Throws: `UsageError` for a line that is not UTF-8.
    package static func parse(_ bytes: [UInt8], after before: Int = 0) throws(UsageError) -> [Entry] {
        var entries: [Entry] = []
        for (index, line) in bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
            let number = before + index + 1  // checked: lines that are in memory
            let trimmed = line.last == 13 ? line.dropLast() : line
            guard !trimmed.isEmpty else { continue }
            // Split by bytes for speed: a list may have millions of lines, and a tab is one byte.
            let parts = trimmed.split(separator: 9, maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.compactMap { String(validating: $0, as: UTF8.self) }
            guard texts.count == parts.count else {
                let shown = DisplayWidth.truncated(String(decoding: trimmed, as: UTF8.self).redactedControls, to: 60)
                throw UsageError(
                    "line \(number) of standard input, '\(shown.withoutUserOfURL)', is not UTF-8, which names and URLs must be"
                )
            }
            entries.append(Entry(number: number, first: texts[0], second: texts.dropFirst().first))
        }
        return entries
    }
}
