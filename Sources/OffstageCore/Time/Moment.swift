// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The time, as a parameter of rules: the wall clock for calendar dates, boot id and boot-time clock for durations.
///
/// The boot-time clock continues while the machine is suspended and does not jump, but has no meaning in another boot;
/// the wall clock survives a reboot but may jump. A rule that has both never has to guess.
package struct Moment: Sendable, Hashable, Codable {
    /// The wall clock.
    @Within<CalendarDates> package var wall: Date
    /// The boot that `uptime` belongs to (`/proc/sys/kernel/random/boot_id`).
    package var bootID: String
    /// Seconds on `CLOCK_BOOTTIME`.
    @Within<Uptimes> package var uptime: Double

    package init(wall: Date, bootID: String, uptime: Double) {
        self.wall = wall
        self.bootID = bootID
        self.uptime = uptime
    }

    /// A JSON array, since every record holds several.
    package init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        wall = try CalendarDates.checked(container.decode(Date.self), from: decoder)
        uptime = try Uptimes.checked(container.decode(Double.self), from: decoder)
        bootID = try container.decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(wall)
        try container.encode(uptime)
        try container.encode(bootID)
    }

    /// Seconds from `earlier` to this moment, never negative.
    ///
    /// In one boot the boot-time clock decides, so a jump of the wall clock changes nothing. Across boots only the
    /// wall clock is left; if it went backwards, no time is counted.
    package func seconds(since earlier: Moment) -> Double {
        bootID == earlier.bootID
            ? max(0, uptime - earlier.uptime)
            : max(0, wall.timeIntervalSince(earlier.wall))
    }
}
