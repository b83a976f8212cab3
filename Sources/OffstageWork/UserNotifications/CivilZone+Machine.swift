// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
package import OffstageCore

extension CivilZone {
    /// The C library's local time, from the present TZ or /etc/localtime.
    package static let ofThisMachine = CivilZone(time: Self.localTime, instant: Self.instant)

    @Sendable private static func localTime(_ date: Date) -> CivilTime? {
        var seconds = time_t(nearest: date.timeIntervalSince1970.rounded(.down))
        var fields = tm()
        tzset()
        guard localtime_r(&seconds, &fields) != nil else { return nil }
        let day = CivilDay(
            year: Int(fields.tm_year) + 1900,
            month: Int(fields.tm_mon) + 1,
            day: Int(fields.tm_mday),
            weekday: Int(fields.tm_wday) + 1
        )
        return CivilTime(day: day, hour: Int(fields.tm_hour), minute: Int(fields.tm_min), second: Int(fields.tm_sec))
    }

    @Sendable private static func instant(_ time: CivilTime) -> Date? {
        // The first of two equal times. For a time that clocks skip, the C library's result is off by the gap, so the
        // first minute after the gap is searched for.
        for minutes in 0...180 {
            for summer: Int32 in [1, 0] {
                var fields = tm()
                fields.tm_year = Int32(clamping: time.day.year - 1900)
                fields.tm_mon = Int32(clamping: time.day.month - 1)
                fields.tm_mday = Int32(clamping: time.day.day)
                fields.tm_hour = Int32(clamping: time.hour)
                fields.tm_min = Int32(clamping: time.minute + minutes)
                fields.tm_sec = minutes == 0 ? Int32(clamping: time.second) : 0
                fields.tm_isdst = summer
                let wanted = (time.hour * 60 + time.minute + minutes) % 1440
                let seconds = mktime(&fields)
                // A time that does not exist, or not in this half of the year, is converted to another one.
                guard seconds != -1, fields.tm_isdst == summer, Int(fields.tm_hour) * 60 + Int(fields.tm_min) == wanted
                else { continue }
                return Date(timeIntervalSince1970: Double(seconds))
            }
        }
        return nil
    }
}
