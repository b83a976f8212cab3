// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit

/// One line for each event: the seconds on `CLOCK_BOOTTIME`, and the event. Thread-safe. Unchecked: it is immutable.
final class Log: @unchecked Sendable {
    static let shared = Log(CommandLine.arguments[1] + "/log")
    // A line is one write to a file opened for appending: no lock is needed.
    private let descriptor: Int32

    private init(_ path: String) { descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600) }

    func note(_ text: String) {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        let bytes = Array("\(Double(now.tv_sec) + Double(now.tv_nsec) / 1e9) \(text)\n".utf8)
        write(descriptor, bytes, bytes.count)
    }
}
