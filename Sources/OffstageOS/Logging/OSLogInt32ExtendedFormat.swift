// SPDX-License-Identifier: Apache-2.0

/// The meaning of an `Int32` in a message.
public enum OSLogInt32ExtendedFormat: Sendable {
    /// An IPv4 address in network byte order: `127.0.0.1`.
    case ipv4Address
    /// Seconds since 1970: a date and time in UTC.
    case secondsSince1970
    /// An `errno` value: `[32: Broken pipe]`.
    case darwinErrno
    /// A file mode: `-rw-r--r--`.
    case darwinMode
    /// A signal: `[9: Killed]`.
    case darwinSignal
    /// `true` or `false`.
    case truth
    /// `YES` or `NO`.
    case answer

    var meaning: ValueMeaning {
        switch self {
        case .ipv4Address: .address
        case .secondsSince1970: .seconds
        case .darwinErrno: .errorNumber
        case .darwinMode: .mode
        case .darwinSignal: .signal
        case .truth: .truth
        case .answer: .answer
        }
    }
}
