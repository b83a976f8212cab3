// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
package import OffstageCore
import OffstageFiles

/// A member's clocks. Its lease uses the boot-time clock, which also advances while the machine is suspended.
package struct MemberClock: Sendable {
    private let bootID: String

    package init() {
        let bytes = SmallFile.read("/proc/sys/kernel/random/boot_id", limit: 100) ?? []
        bootID = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    package func now() -> Moment { Moment(wall: Date(), bootID: bootID, uptime: Self.seconds) }

    /// Seconds on the boot-time clock.
    package static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
