// SPDX-License-Identifier: Apache-2.0

/// How much an entry matters, as Apple's `OSLogType`.
public struct OSLogType: RawRepresentable, Equatable, Hashable, Sendable {
    /// Apple's number for it.
    public let rawValue: UInt8

    /// - Parameter rawValue: Apple's number; one that Apple does not have counts as `default`.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// - Parameter rawValue: Apple's number; one that Apple does not have counts as `default`.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// What is needed to find out what went wrong. Kept.
    public static let `default` = OSLogType(rawValue: 0x00)
    /// What helps to find it out. Not kept unless asked for (docs/logging.md).
    public static let info = OSLogType(rawValue: 0x01)
    /// What is of use while a program is written. Not kept unless asked for (docs/logging.md).
    public static let debug = OSLogType(rawValue: 0x02)
    /// What went wrong. Kept.
    public static let error = OSLogType(rawValue: 0x10)
    /// What went wrong, and is a mistake of the program or the system. Kept.
    public static let fault = OSLogType(rawValue: 0x11)
}
