// SPDX-License-Identifier: Apache-2.0
import Foundation

/// FOLDER/stage.log: a line for everything that happens, with the seconds since the machine was started and the process.
final class StageLog: Sendable {
    private let descriptor: Int32

    init(in folder: URL) {
        descriptor = open(
            folder.appendingPathComponent("stage.log").path,
            O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
            0o600
        )
        guard descriptor >= 0 else { fatalError("\(folder.path) cannot be used") }
    }

    /// One write, so that no line is torn, whichever thread or process writes at the same time.
    func note(_ text: String) {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        let seconds = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        let line = Array((String(format: "%.6f %d ", seconds, getpid()) + text + "\n").utf8)
        _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}
