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
        var fields = tm()
        fields.tm_year = Int32(clamping: time.day.year - 1900)
        fields.tm_mon = Int32(clamping: time.day.month - 1)
        fields.tm_mday = Int32(clamping: time.day.day)
        fields.tm_hour = Int32(clamping: time.hour)
        fields.tm_min = Int32(clamping: time.minute)
        fields.tm_sec = Int32(clamping: time.second)
        tzset()
        // Not mktime: for summer time in a zone that has none, it searches many years for one.
        let reading = timegm(&fields)
        guard reading != -1 else { return nil }
        return firstInstant(showing: Int64(reading), ahead: Self.ahead).map { Date(timeIntervalSince1970: Double($0)) }
    }

    /// How many seconds local clocks are ahead of UTC at an instant.
    private static func ahead(_ instant: Int64) -> Int64? {
        var seconds = time_t(clamping: instant)
        var fields = tm()
        guard localtime_r(&seconds, &fields) != nil else { return nil }
        return Int64(fields.tm_gmtoff)
    }
}
