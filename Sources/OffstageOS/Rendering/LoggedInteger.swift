// SPDX-License-Identifier: Apache-2.0

/// An integer of up to 64 bits, in the form for a message.
package struct LoggedInteger: Sendable, Equatable {
    package let isNegative: Bool
    package let magnitude: UInt64
    /// The bits, only as many as the type has: hexadecimal and octal show them for a negative number.
    package let bits: UInt64

    /// - Parameter value: the value; one that does not fit into 64 bits is clamped.
    package init<Value: FixedWidthInteger>(_ value: Value) {
        isNegative = value < 0
        magnitude = UInt64(clamping: value.magnitude)
        let whole = UInt64(truncatingIfNeeded: value)
        bits = Value.bitWidth >= 64 ? whole : whole & (1 << UInt64(Value.bitWidth) - 1)
    }

    /// The value, clamped to `Int`.
    package var nearest: Int {
        let limit = Int(clamping: magnitude)
        return isNegative ? -limit : limit
    }
}
