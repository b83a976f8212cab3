// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Lines for the bench: what has happened, in which process, and when, in nanoseconds on CLOCK_BOOTTIME, which it reads
/// too.
struct Notes: Sendable {
    private let file: Int32

    init(path: String) {
        file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { fatalError("usage: see the head of main.swift") }
    }

    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The time is taken before the line is written.
    func add(_ what: String, _ detail: Int64 = 0) {
        let line = Array("\(what) \(getpid()) \(Self.now) \(detail)\n".utf8)
        _ = write(file, line, line.count)
    }
}
