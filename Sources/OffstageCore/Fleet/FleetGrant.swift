// SPDX-License-Identifier: Apache-2.0

/// One lease of a row: its number, and the fence under which it was given. Whoever has the highest fence of a row has the row.
package struct FleetGrant: Sendable, Hashable, Comparable {
    package let row: Int64
    package let fence: Int32

    /// Nil for numbers that no row and no lease have.
    package init?(row: Int64, fence: Int32) {
        guard FleetRowNumbers.range.contains(row), FleetFences.range.contains(fence) else { return nil }
        self.row = row
        self.fence = fence
    }

    /// Reads what a database says; nil for anything that is not a lease.
    package init?(row: String?, fence: String?) {
        guard let row = row.flatMap({ Int64(digits: $0) }), let fence = fence.flatMap({ Int32(digits: $0) }) else {
            return nil
        }
        self.init(row: row, fence: fence)
    }

    package static func < (left: FleetGrant, right: FleetGrant) -> Bool {
        (left.row, left.fence) < (right.row, right.fence)
    }
}
