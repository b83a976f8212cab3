// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Lets the connections' threads sleep, and wakes them all when the server stops.
final class StopSignal: Sendable {
    private let reading: Int32
    private let writing: Int32

    init() throws(DropboxEmulatorError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system("The emulator cannot make a pipe") }
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Wakes all current and later waiters.
    func stop() {
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)
    }

    /// Waits.
    ///
    /// - Parameter seconds: rounded up to milliseconds.
    /// - Returns: false when the server stops.
    func wait(_ seconds: Double) -> Bool {
        let end = Self.now + seconds
        while true {
            let left = end - Self.now
            guard left > 0 else { return true }
            var item = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            if poll(&item, 1, Int32(min(3_600_000, (left * 1000).rounded(.up)))) > 0 { return false }
        }
    }

    /// Seconds on the monotonic clock.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
