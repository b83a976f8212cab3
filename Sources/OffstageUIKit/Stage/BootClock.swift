// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The clock for the times that the app and the daemon exchange. It keeps running while the app or the machine is
/// suspended.
package enum BootClock {
    /// Seconds on `CLOCK_BOOTTIME`.
    package static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
