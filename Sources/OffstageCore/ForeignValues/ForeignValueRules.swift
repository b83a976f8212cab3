// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// Bytes, and offsets in a file: no file is longer than an exbibyte, and seven such values can be added.
package enum ByteCounts: ForeignValueRule {
    package static let range: ClosedRange<Int64> = 0...(1 << 60)
    package static let noun = "a number of bytes"
}

/// Numbers of events.
package enum Counts: ForeignValueRule {
    package static let range = 0...(1 << 40)
    package static let noun = "a count"
}

/// Task numbers in a session. The limit is far beyond any session's numbers, so the next number is also valid.
package enum TaskNumbers: ForeignValueRule {
    package static let range = 0...(1 << 61)
    package static let noun = "the number of a task"
}

/// Durations in seconds, up to three centuries.
package enum Durations: ForeignValueRule {
    package static let range = 0.0...1e10
    package static let noun = "a number of seconds"
}

/// Seconds on the boot-time clock, which tests may advance.
package enum Uptimes: ForeignValueRule {
    package static let range = -1e11...1e11
    package static let noun = "a time since the machine was started"
}

/// Dates that a calendar can express: the years 1 to 9999.
package enum CalendarDates: ForeignValueRule {
    package static let range =
        Date(timeIntervalSince1970: -62_135_596_800)...Date(timeIntervalSince1970: 253_402_300_799)
    package static let noun = "a date"
}

/// TCP ports; 0 for none.
package enum Ports: ForeignValueRule {
    package static let range = 0...65_535
    package static let noun = "a port"
}

/// HTTP status codes, as far as three digits express them.
package enum StatusCodes: ForeignValueRule {
    package static let range = 0...999
    package static let noun = "an HTTP status"
}
