// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit

/// One line for each event. Thread-safe. Unchecked: it is immutable.
final class Log: @unchecked Sendable {
    static let shared = Log(CommandLine.arguments[1] + "/log")
    // A line is one write to a file opened for appending: no lock is needed.
    private let descriptor: Int32

    private init(_ path: String) { descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600) }

    func note(_ text: String) {
        let bytes = Array("\(text)\n".utf8)
        write(descriptor, bytes, bytes.count)
    }
}
