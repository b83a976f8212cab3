// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Numbers of rows on a command line: `7`, `7 9`, `7-12`.
package enum FleetRowArguments {
    /// The most rows that a command names.
    package static let most = 100_000

    /// - Throws: `UsageError` for anything that is not a row's number, or too many of them.
    package static func parse(_ words: [String]) throws(UsageError) -> [Int64] {
        let ids: [Int64]
        do throws(UsageError) {
            ids = try IDArguments.parse(words).map(\.rawValue)
        } catch {
            throw UsageError(
                error.message.replacing("a transfer's number", with: "a row's number")
                    .replacing("'offstage list' shows them", with: "'offstage fleet list' shows them")
                    .replacing("transfers", with: "rows")
            )
        }
        guard ids.count <= most else { throw UsageError("these are more than \(most) rows: name fewer, or give --all") }
        if let id = ids.first(where: { !FleetRowNumbers.range.contains($0) }) {
            throw UsageError("'\(id)' is not a row's number; 'offstage fleet list' shows them")
        }
        return ids
    }
}
