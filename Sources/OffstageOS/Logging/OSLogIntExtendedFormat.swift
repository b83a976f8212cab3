// SPDX-License-Identifier: Apache-2.0

/// The meaning of an `Int` in a message.
public enum OSLogIntExtendedFormat: Sendable {
    /// Bits per second, with decimal prefixes: `123 kbps`.
    case bitrate
    /// Bits per second, with binary prefixes: `118 Kibps`.
    case bitrateIEC
    /// Bytes, with decimal prefixes: `4.72 kB`.
    case byteCount
    /// Bytes, with binary prefixes: `4.61 KiB`.
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
