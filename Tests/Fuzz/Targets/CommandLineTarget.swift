// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore

/// The words of a command line, one per line: parsed into a command's value, which is not run.
enum CommandLineTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        let text = String(decoding: bytes, as: UTF8.self)
        let words = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        do throws(UsageError) {
            _ = try CommandLineTool.parse(words)
        } catch {
            promise(!error.message.isEmpty, "an error without a word")
        }
        _ = PointInTime.parse(text, now: fuzzStart.wall)
    }
}
