// SPDX-License-Identifier: Apache-2.0

/// The type of a signpost.
public struct OSSignpostType: RawRepresentable, Equatable, Hashable, Sendable {
    /// Apple's number for the type.
    public let rawValue: UInt8

    /// - Parameter rawValue: Apple's number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A point in time.
    public static let event = OSSignpostType(rawValue: 0)
    /// The beginning of an interval.
    public static let begin = OSSignpostType(rawValue: 1)
    /// The end of an interval.
    public static let end = OSSignpostType(rawValue: 2)

    var name: String {
        switch self {
        case .begin: "begin"
        case .end: "end"
        default: "event"
        }
    }
}
