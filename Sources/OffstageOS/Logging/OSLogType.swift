// SPDX-License-Identifier: Apache-2.0

/// The level of an entry, like Apple's `OSLogType`.
public struct OSLogType: RawRepresentable, Equatable, Hashable, Sendable {
    /// Apple's number for the level.
    public let rawValue: UInt8

    /// - Parameter rawValue: Apple's number; an unknown one counts as `default`.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// - Parameter rawValue: Apple's number; an unknown one counts as `default`.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// Information needed to find out what went wrong. Kept.
    public static let `default` = OSLogType(rawValue: 0x00)
    /// Information that helps to find out what went wrong. Not kept by default (docs/logging.md).
    public static let info = OSLogType(rawValue: 0x01)
    /// Information that is useful during development. Not kept by default (docs/logging.md).
    public static let debug = OSLogType(rawValue: 0x02)
    /// An error. Kept.
    public static let error = OSLogType(rawValue: 0x10)
    /// An error that is a bug in the program or the system. Kept.
    public static let fault = OSLogType(rawValue: 0x11)
}
