// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Reports as values of the database's functions: arrays, one for each column.
enum ReportValues {
    /// Ends, with their receipts if known.
    static func ends(_ ends: [(FleetGrant, FleetEnd)], receipt: (FleetGrant) -> String?) -> [String?] {
        [
            FleetArray.numbers(ends.map(\.0.row)), FleetArray.numbers(ends.map(\.0.fence)),
            FleetArray.numbers(ends.map(\.1.result.rawValue)),
            FleetArray.texts(ends.map { end in end.1.status.map { "\($0)" } }),
            FleetArray.numbers(ends.map(\.1.bytesSent)),
            FleetArray.texts(ends.map { end in end.1.detail.map { FleetText($0, longest: 2000).description } }),
            FleetArray.texts(ends.map { receipt($0.0) }),
        ]
    }

    /// Rows that are given back.
    static func returns(_ returns: [(FleetGrant, FleetRow.Return)]) -> [String?] {
        [
            FleetArray.numbers(returns.map(\.0.row)), FleetArray.numbers(returns.map(\.0.fence)),
            FleetArray.seconds(returns.map(\.1.after)),
            FleetArray.texts(returns.map { FleetText($0.1.note, longest: 900).description }),
        ]
    }
}
