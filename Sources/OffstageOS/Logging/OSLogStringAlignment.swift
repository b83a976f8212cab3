// SPDX-License-Identifier: Apache-2.0

/// In how many columns a value stands, and at which side.
public struct OSLogStringAlignment: Sendable {
    let format: NumberFormat

    /// As long as it is.
    public static var none: OSLogStringAlignment { OSLogStringAlignment(format: NumberFormat()) }

    /// At the right, after blanks.
    ///
    /// - Parameter columns: how many at least; more than 1000 count as 1000.
    /// - Returns: the alignment.
    public static func right(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        var format = NumberFormat()
        format.take(width: max(0, columns()))
        return OSLogStringAlignment(format: format)
    }

    /// At the left, before blanks.
    ///
    /// - Parameter columns: how many at least; more than 1000 count as 1000.
    /// - Returns: the alignment.
    public static func left(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        var format = NumberFormat()
        format.take(width: max(0, columns()))
        format.isLeft = true
        return OSLogStringAlignment(format: format)
    }
}
