// SPDX-License-Identifier: Apache-2.0

/// One lease of a row: the row's number, and the fence under which it was granted. The holder of a row's highest fence
/// has the row.
package struct FleetGrant: Sendable, Hashable, Comparable {
    package let row: Int64
    package let fence: Int32

    /// Nil for numbers that no row or lease can have.
    package init?(row: Int64, fence: Int32) {
        guard FleetRowNumbers.range.contains(row), FleetFences.range.contains(fence) else { return nil }
        self.row = row
        self.fence = fence
    }

    /// Reads a database's values; nil if they are not a lease.
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
