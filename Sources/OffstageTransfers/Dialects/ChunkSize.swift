// SPDX-License-Identifier: Apache-2.0

/// How many bytes of a file go into one request of a dialect: more while the connection is fast, fewer after a failure,
/// and never more than the server or the owner accepts.
struct ChunkSize: Sendable, Equatable {
    /// Every chunk of a file except the last is a multiple of this many bytes.
    let unit: Int64
    /// Bytes of the next chunk.
    private(set) var current: Int64
    /// The most bytes that a request may have after the server has refused more; nil if no limit is known.
    private(set) var most: Int64?

    /// Bytes that chunks start with and fall back to.
    static let smallest: Int64 = 8 << 20
    /// The largest chunk in bytes, however fast the connection is.
    static let largest: Int64 = 128 << 20
    /// The largest factor from one chunk to the next.
    static let mostGrowth: Int64 = 4

    init(unit: Int64) {
        self.unit = unit
        current = Self.smallest
    }

    /// A stored size; nil if it is invalid.
    init?(unit: Int64, current: Int64, most: Int64?) {
        // checked: a unit is a constant between 1 and `largest`
        guard (unit...Self.largest).contains(current), current % unit == 0,
            most.map({ $0 >= unit && $0 % unit == 0 && current <= $0 }) ?? true
        else { return nil }
        self.unit = unit
        self.current = current
        self.most = most
    }

    /// Limits chunks to this many bytes from now on.
    mutating func limit(to bytes: Int64) {
        let limit = max(unit, bytes / unit * unit)  // checked: not more than the bytes
        most = min(most ?? limit, limit)
        current = min(current, limit)
    }

    /// Grows after a chunk that took this many seconds: at the same speed, the next one may take eight.
    mutating func grow(after seconds: Double) {
        let factor = seconds < 2 ? Self.mostGrowth : seconds < 4 ? 2 : 1
        // checked: at most four times `largest`
        current = max(current, min(factor * current, Self.largest, most ?? .max))
    }

    /// Shrinks after a request that failed on its way.
    ///
    /// - Parameter floor: the smallest chunk, in bytes.
    mutating func shrink(to floor: Int64 = ChunkSize.smallest) {
        let half = current / 2 / unit * unit  // checked: a half
        current = min(max(half, unit, floor), current)
    }

    /// Shrinks after a request with this many bytes of the file was too long.
    ///
    /// - Returns: whether a shorter one can be tried.
    mutating func refuse(_ count: Int64) -> Bool {
        guard count > unit else { return false }
        // Remembered, so that a chunk that grows again is not refused again.
        limit(to: max(unit, count / 2))  // checked: a half
        return true
    }
}
