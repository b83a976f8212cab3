// SPDX-License-Identifier: Apache-2.0

/// An integer of any size up to 64 bits, as a message shows it.
package struct LoggedInteger: Sendable, Equatable {
    package let isNegative: Bool
    package let magnitude: UInt64
    /// Its bits, no more than its type has: what hexadecimal and octal show of a negative one.
    package let bits: UInt64

    /// - Parameter value: what does not fit into 64 bits becomes the nearest that does.
    package init<Value: FixedWidthInteger>(_ value: Value) {
        isNegative = value < 0
        magnitude = UInt64(clamping: value.magnitude)
        let whole = UInt64(truncatingIfNeeded: value)
        bits = Value.bitWidth >= 64 ? whole : whole & (1 << UInt64(Value.bitWidth) - 1)
    }

    /// The nearest `Int`.
    package var nearest: Int {
        let limit = Int(clamping: magnitude)
        return isNegative ? -limit : limit
    }
}
