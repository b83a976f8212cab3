// SPDX-License-Identifier: Apache-2.0

/// The minimum width of a value, in columns, and the side to which the value is aligned.
public struct OSLogStringAlignment: Sendable {
    let format: NumberFormat

    /// No padding.
    public static var none: OSLogStringAlignment { OSLogStringAlignment(format: NumberFormat()) }

    /// Aligned to the right, padded with spaces on the left.
    ///
    /// - Parameter columns: the minimum width; more than 1000 counts as 1000.
    /// - Returns: the alignment.
    public static func right(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        var format = NumberFormat()
        format.apply(width: max(0, columns()))
        return OSLogStringAlignment(format: format)
    }

    /// Aligned to the left, padded with spaces on the right.
    ///
    /// - Parameter columns: the minimum width; more than 1000 counts as 1000.
    /// - Returns: the alignment.
    public static func left(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        var format = NumberFormat()
        format.apply(width: max(0, columns()))
        format.isLeft = true
        return OSLogStringAlignment(format: format)
    }
}
