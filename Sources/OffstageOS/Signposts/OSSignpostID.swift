// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Distinguishes intervals with the same name, like Apple's `OSSignpostID`.
public struct OSSignpostID: Sendable, Equatable, Hashable, Comparable {
    /// The number.
    public let rawValue: UInt64

    /// - Parameter value: the number.
    public init(_ value: UInt64) { rawValue = value }

    /// Creates a number that is unique in this process.
    ///
    /// - Parameter log: has no effect.
    public init(log: OSLog) { rawValue = Self.made.add(1, ordering: .relaxed).newValue }

    /// Creates a number that identifies an object during its lifetime.
    ///
    /// - Parameters:
    ///   - log: has no effect.
    ///   - object: the object.
    public init(log: OSLog, object: AnyObject) {
        rawValue = UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
    }

    /// The identifier for intervals that do not overlap.
    public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
    /// An identifier whose signposts are not written.
    public static let invalid = OSSignpostID(UInt64.max)
    /// An identifier whose signposts are not written.
    public static let null = OSSignpostID(0)

    /// Compares the numbers.
    public static func < (one: OSSignpostID, other: OSSignpostID) -> Bool { one.rawValue < other.rawValue }

    private static let made = Atomic<UInt64>(0)
}
