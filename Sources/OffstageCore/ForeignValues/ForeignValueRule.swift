// SPDX-License-Identifier: Apache-2.0

/// Which values of a kind are taken from outside: from servers, clients, apps, files, clocks and the store.
///
/// The ranges are so much smaller than the type that arithmetic on a few such values cannot overflow, and a conversion
/// cannot trap. What is outside of its range is refused where it is read; only what a store holds already is taken as
/// the nearest value, so that one damaged record does not cost the transfer.
package protocol ForeignValueRule {
    associatedtype Value: Codable, Hashable, Sendable, Comparable

    static var range: ClosedRange<Value> { get }
    /// What it is, for the message of a refusal: "a number of bytes".
    static var noun: String { get }
}

extension ForeignValueRule {
    /// The nearest value in the range; its beginning for what is no number.
    package static func nearest(to value: Value) -> Value {
        if range.contains(value) { return value }
        return value > range.upperBound ? range.upperBound : range.lowerBound
    }

    /// What was decoded, if it is in range.
    ///
    /// - Throws: `DecodingError.dataCorrupted` for what is not; a decoder for the store gets the nearest value.
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
