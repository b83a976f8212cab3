// SPDX-License-Identifier: Apache-2.0

/// The range of foreign values of a kind: from servers, clients, apps, files, clocks and the store.
///
/// The ranges are so much smaller than the type that arithmetic on a few such values cannot overflow, and a conversion
/// cannot trap. A value out of range is refused where it is read. Only a stored value becomes the nearest one instead,
/// because a damaged record should not cost the transfer.
package protocol ForeignValueRule {
    associatedtype Value: Codable, Hashable, Sendable, Comparable

    static var range: ClosedRange<Value> { get }
    /// Its kind, for the message of a refusal: "a number of bytes".
    static var noun: String { get }
}

extension ForeignValueRule {
    /// The nearest value in the range; its beginning if it is not a number.
    package static func nearest(to value: Value) -> Value {
        if range.contains(value) { return value }
        return value > range.upperBound ? range.upperBound : range.lowerBound
    }

    /// The decoded value, if it is in range.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if it is not; a decoder for the store gets the nearest value.
    package static func checked(_ value: Value, from decoder: any Decoder) throws -> Value {
        if range.contains(value) { return value }
        guard decoder.takesNearestValues else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not \(noun) that can be used")
            )
        }
        return nearest(to: value)
    }
}
