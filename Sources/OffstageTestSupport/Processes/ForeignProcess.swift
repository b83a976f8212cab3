// SPDX-License-Identifier: Apache-2.0
import COffstageTestSupport
import Glibc

/// A process that the test did not start itself, such as a daemon that a command started.
///
/// Held by a pidfd, so that a signal never reaches a later process with the same ID.
package final class ForeignProcess: Sendable {
    package let processID: Int32
    private let descriptor: Int32

    package init(_ processID: Int32) throws {
        self.processID = processID
        descriptor = offstage_test_pidfd_open(processID)
        guard descriptor >= 0 else { throw TestError.system("Process \(processID) is not there") }
    }

    deinit { close(descriptor) }

    package func send(_ signal: Int32) throws {
        guard offstage_test_pidfd_signal(descriptor, signal) == 0 || errno == ESRCH else {
            throw TestError.system("Process \(processID) cannot be sent signal \(signal)")
        }
    }

    package var isRunning: Bool { !waitForEnd(TimeLimit(seconds: 0)) }

    /// Waits for its end with poll(2) on the pidfd.
    package func awaitEnd(within seconds: Double = 20) throws {
        guard waitForEnd(TimeLimit(seconds: seconds)) else {
            throw TestError("Process \(processID) was still running after \(seconds) s.")
        }
    }

    private func waitForEnd(_ limit: TimeLimit) -> Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var count: Int32
        repeat { count = poll(&item, 1, limit.milliseconds) } while count < 0 && errno == EINTR
        return count == 1
    }

    /// All processes whose environment holds this `NAME=value`, as /proc shows it.
    package static func withEnvironment(_ entry: String) -> [Int32] {
        let wanted = Array(entry.utf8)
        return TestFiles.names(in: "/proc").compactMap { Int32($0) }.filter { number in
            guard let bytes = try? TestFiles.read("/proc/\(number)/environ") else { return false }
            return bytes.split(separator: 0).contains { Array($0) == wanted }
        }
    }

    /// The state and the parent of a process, from `stat` in proc(5); `nil` if there is no such process.
    package static func status(of processID: Int32) -> (state: Substring, parent: Int32)? {
        guard let text = try? TestFiles.text("/proc/\(processID)/stat"), let end = text.lastIndex(of: ")") else {
            return nil
        }
        let fields = text[end...].dropFirst().split(separator: " ", maxSplits: 2)
        guard fields.count > 2, let parent = Int32(fields[1]) else { return nil }
        return (fields[0], parent)
    }
}
