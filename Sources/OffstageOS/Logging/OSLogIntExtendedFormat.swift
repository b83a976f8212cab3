// SPDX-License-Identifier: Apache-2.0

/// What an `Int` in a message stands for.
public enum OSLogIntExtendedFormat: Sendable {
    /// Bits in a second, in steps of 1000: `123 kbps`.
    case bitrate
    /// Bits in a second, in steps of 1024: `118 Kibps`.
    case bitrateIEC
    /// Bytes, in steps of 1000: `4.72 kB`.
    case byteCount
    /// Bytes, in steps of 1024: `4.61 KiB`.
    case byteCountIEC
    /// Seconds since 1970: a date and time in UTC.
    case secondsSince1970

    var meaning: ValueMeaning {
        switch self {
        case .bitrate: .bits
        case .bitrateIEC: .binaryBits
        case .byteCount: .bytes
        case .byteCountIEC: .binaryBytes
        case .secondsSince1970: .seconds
        }
    }
}
