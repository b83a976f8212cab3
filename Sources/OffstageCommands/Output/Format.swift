// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import Glibc
import OffstageCore

/// Numbers for people.
package enum Format {
    /// `999 B`, `1.5 KiB`, `12.3 MiB`, `1.00 GiB`: three significant digits.
    package static func bytes(_ count: Int64) -> String { ByteText.of(count) }

    /// `1 field`, `2 fields`.
    package static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Bytes per second.
    package static func rate(_ bytesPerSecond: Double) -> String {
        bytes(Int64(max(0, min(bytesPerSecond, 9e18)))) + "/s"
    }

    /// A duration for a narrow column: `7s`, `1:05`, `2:03:04`, `3d 04h`.
    package static func duration(_ seconds: Double) -> String {
        let whole = Int(max(0, min(seconds, 1e10)).rounded())
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        switch whole {
        case ..<60: return "\(whole)s"
        case ..<3600: return "\(whole / 60):\(two(whole % 60))"
        case ..<86400: return "\(whole / 3600):\(two(whole % 3600 / 60)):\(two(whole % 60))"
        default: return "\(whole / 86400)d \(two(whole % 86400 / 3600))h"
        }
    }

    /// A duration for cases where tenths matter: `30 s`, `0.5 s`, `25.1 s`.
    package static func seconds(_ seconds: Double) -> String {
        let tenths = Int((max(0, min(seconds, 1e10)) * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }

    /// Seconds left at a rate; nil if unknown.
    package static func secondsLeft(done: Int64, total: Int64?, rate: Double) -> Double? {
        guard let total, rate > 0, total >= done else { return nil }
        return Double(total - done) / rate
    }

    /// Whole percent, rounded down so that 100 means complete; nil if the total is unknown.
    package static func percent(done: Int64, total: Int64?) -> Int? {
        guard let total, total > 0 else { return nil }
        return Int(Double(max(0, min(done, total))) / Double(total) * 100)
    }

    /// Local time: `14:03:22` on the same day, otherwise `2026-05-01 14:03`.
    package static func time(_ date: Date, now: Date) -> String {
        day(date) == day(now) ? local(date, "%H:%M:%S") : local(date, "%Y-%m-%d %H:%M")
    }

    /// Local time with milliseconds: `14:03:22.120`.
    package static func clock(_ date: Date) -> String {
        // Converted to whole milliseconds first, as rounding up may reach the next second.
        let milliseconds = Int64((max(0, min(1e11, date.timeIntervalSince1970)) * 1000).rounded())
        let digits = String(milliseconds % 1000)
        let second = Date(timeIntervalSince1970: Double(milliseconds / 1000))
        return local(second, "%H:%M:%S") + "." + String(repeating: "0", count: 3 - digits.count) + digits
    }

    /// Local date: `2026-05-01`.
    package static func day(_ date: Date) -> String { local(date, "%Y-%m-%d") }

    /// Local date and time with seconds and zone.
    package static func fullTime(_ date: Date) -> String { local(date, "%Y-%m-%d %H:%M:%S %Z") }

    /// How many seconds local time is ahead of UTC at an instant.
    package static func secondsEast(_ date: Date) -> Int {
        var seconds = time_t(max(-1e11, min(1e11, date.timeIntervalSince1970)).rounded(.down))
        var parts = tm()
        return localtime_r(&seconds, &parts) == nil ? 0 : parts.tm_gmtoff
    }

    private static func local(_ date: Date, _ format: String) -> String {
        var seconds = time_t(max(-1e11, min(1e11, date.timeIntervalSince1970)).rounded(.down))
        var parts = tm()
        localtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, format, &parts)
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
