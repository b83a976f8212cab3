// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles

/// This process's use of the machine.
package enum ProcessFigures {
    /// The processor time it has used, in seconds.
    package static var processorTime: Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The size of its resident memory in bytes (proc_pid_statm(5)); 0 if that cannot be read.
    package static var residentBytes: Int64 {
        let text = SmallFile.read("/proc/self/statm", limit: 4096).map { String(decoding: $0, as: UTF8.self) }
        let pages = text?.split(separator: " ").dropFirst().first.flatMap { Int64(digits: $0) }
        return min(max(0, pages ?? 0), 1 << 40) * Int64(getpagesize())  // checked: a limited number of pages
    }
}
