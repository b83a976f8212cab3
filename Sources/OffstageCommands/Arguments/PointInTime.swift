// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import Glibc
import OffstageCore

/// A date as written on a command line.
package enum PointInTime {
    /// `now`; `+2h` from now; `23:00`, `11pm` or `11:30pm`, when local clocks next show that, `24:00` being the end of
    /// today; `tomorrow`, when it begins; or ISO 8601: `2026-05-01`, `2026-05-01T08:00`, `2026-05-01T08:00:00Z`, `…+02:00`.
    ///
    /// Without a zone it is local time. Nil for anything else.
    package static func parse(_ text: String, now: Date) -> Date? {
        if text.hasPrefix("+") { return Quantity.seconds(String(text.dropFirst())).map { now.addingTimeInterval($0) } }
        switch text {
        case "now": return now
        case "24:00", "tomorrow": return next(timeOfDay: "00:00", after: now)
        default: break
        }
        if let date = next(timeOfDay: inTwentyFourHours(text) ?? text, after: now) { return date }
        guard let split = splitZone(text) else { return nil }
        let fields = split.local.split(whereSeparator: { "-T :".contains($0) }).map { Int($0) }
        guard [3, 5, 6].contains(fields.count), let all = unwrapped(fields), isShaped(split.local) else { return nil }
        guard (1970...9999).contains(all[0]), (1...12).contains(all[1]), (1...31).contains(all[2]) else { return nil }
        var parts = tm()
        parts.tm_year = Int32(all[0] - 1900)
        parts.tm_mon = Int32(all[1] - 1)
        parts.tm_mday = Int32(all[2])
        if all.count >= 5 {
            guard (0...23).contains(all[3]), (0...59).contains(all[4]) else { return nil }
            parts.tm_hour = Int32(all[3])
            parts.tm_min = Int32(all[4])
        }
        if all.count == 6 {
            guard (0...60).contains(all[5]) else { return nil }
            parts.tm_sec = Int32(all[5])
        }
        parts.tm_isdst = -1
        let day = parts.tm_mday
        let seconds = split.offset == nil ? mktime(&parts) : timegm(&parts)
        // The 31st of a shorter month would silently become another day.
        guard parts.tm_mday == day else { return nil }
        return Date(timeIntervalSince1970: Double(seconds) - Double(split.offset ?? 0))
    }

    /// The date of `--begin`.
    package static func option(_ text: String, now: Date) throws(UsageError) -> Date {
        guard let date = parse(text, now: now) else {
            throw UsageError(
                "'\(text)' is not a date such as 23:00, 11pm, tomorrow, +2h or 2026-05-01T08:00, as --begin requires"
            )
        }
        return date
    }

    /// `23:30` for `11:30pm`; nil for anything else.
    private static func inTwentyFourHours(_ text: String) -> String? {
        let lower = text.lowercased()
        guard lower.hasSuffix("am") || lower.hasSuffix("pm") else { return nil }
        let parts = lower.dropLast(2).split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let hour = parts.first.flatMap({ Quantity.count(String($0)) }), (1...12).contains(hour)
        else { return nil }
        let minutes = parts.dropFirst().first.map(String.init) ?? "00"
        guard minutes.count == 2 else { return nil }
        // checked: an hour from 1 to 12
        return "\(hour % 12 + (lower.hasSuffix("pm") ? 12 : 0)):\(minutes)"
    }

    /// `23:00` or `23:00:30`, today if that is still to come, otherwise tomorrow.
    private static func next(timeOfDay text: String, after now: Date) -> Date? {
        let shape = text.map { $0.isASCII && $0.isNumber ? "0" : String($0) }.joined()
        guard ["0:00", "00:00", "00:00:00"].contains(shape) else { return nil }
        let fields = text.split(separator: ":").compactMap { Int32(digits: $0) }
        guard let hour = fields.first, (0...23).contains(hour), let minute = fields.dropFirst().first,
            (0...59).contains(minute)
        else { return nil }
        let second = fields.dropFirst(2).first ?? 0
        guard (0...59).contains(second) else { return nil }
        var today = time_t(nearest: now.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        guard localtime_r(&today, &parts) != nil else { return nil }
        // The C library carries over days past a month's end, and finds the right time when clocks go forward.
        for days: Int32 in 0...1 {
            var wanted = tm()
            (wanted.tm_year, wanted.tm_mon) = (parts.tm_year, parts.tm_mon)
            wanted.tm_mday = parts.tm_mday + days  // checked: a day of a month, and one more
            (wanted.tm_hour, wanted.tm_min, wanted.tm_sec) = (hour, minute, second)
            wanted.tm_isdst = -1
            let date = Date(timeIntervalSince1970: Double(mktime(&wanted)))
            if date > now { return date }
        }
        return nil
    }

    private static func unwrapped(_ fields: [Int?]) -> [Int]? {
        let all = fields.compactMap { $0 }
        return all.count == fields.count ? all : nil
    }

    private static func isShaped(_ text: Substring) -> Bool {
        let shape = String(text.map { $0.isASCII && $0.isNumber ? "0" : $0 == " " ? "T" : $0 })
        return ["0000-00-00", "0000-00-00T00:00", "0000-00-00T00:00:00"].contains(shape)
    }

    /// The text without its zone, and the zone's offset in seconds east of UTC; nil offset for local time.
    private static func splitZone(_ text: String) -> (local: Substring, offset: Int?)? {
        if text.hasSuffix("Z") { return (text.dropLast(), 0) }
        let tail = Array(text.suffix(6))
        guard text.count > 16, tail[0] == "+" || tail[0] == "-", tail[3] == ":" else { return (text[...], nil) }
        guard let hours = Int(String(tail[1...2])), let minutes = Int(String(tail[4...5])), hours <= 14, minutes < 60
        else { return nil }
        return (text.dropLast(6), (tail[0] == "-" ? -1 : 1) * (hours * 3600 + minutes * 60))
    }
}
