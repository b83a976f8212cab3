// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Tells intervals of one name apart, as Apple's `OSSignpostID`.
public struct OSSignpostID: Sendable, Equatable, Hashable, Comparable {
    /// The number.
    public let rawValue: UInt64

    /// - Parameter value: the number.
    public init(_ value: UInt64) { rawValue = value }

    /// A number that no other has in this process.
    ///
    /// - Parameter log: has no effect.
    public init(log: OSLog) { rawValue = Self.made.add(1, ordering: .relaxed).newValue }

    /// A number that stands for an object as long as that lives.
    ///
    /// - Parameters:
    ///   - log: has no effect.
    ///   - object: the object.
    public init(log: OSLog, object: AnyObject) {
        rawValue = UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
    }

    /// For an interval of which there is one at a time.
    public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
    /// Signposts with it are not written.
    public static let invalid = OSSignpostID(UInt64.max)
    /// Signposts with it are not written.
    public static let null = OSSignpostID(0)

    /// By number.
    public static func < (one: OSSignpostID, other: OSSignpostID) -> Bool { one.rawValue < other.rawValue }

    private static let made = Atomic<UInt64>(0)
}
