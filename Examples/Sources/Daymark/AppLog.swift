// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The events of all launches: a line each, with the seconds since the machine was started.
final class AppLog {
    private let file: FileHandle
    private let lock = NSLock()

    init(in folder: URL) {
        let url = folder.appendingPathComponent("events.log")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            if !FileManager.default.fileExists(atPath: url.path) {
                try Data().write(to: url)
            }
            file = try FileHandle(forWritingTo: url)
            try file.seekToEnd()
        } catch {
            fatalError("\(url.path) cannot be written: \(error.localizedDescription)")
        }
    }

    func note(_ line: String) {
        lock.lock()
        defer { lock.unlock() }
        try? file.write(contentsOf: Data((String(format: "%.6f ", Self.now) + line + "\n").utf8))
    }

    /// Seconds on a clock that also runs while the machine sleeps.
    private static var now: TimeInterval {
        var time = timespec()
        #if os(Linux)
            clock_gettime(CLOCK_BOOTTIME, &time)
        #else
            clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9
    }
}
