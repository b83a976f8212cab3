// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// One row of a query result from the fleet's database, as text. No value is trusted before one of these methods has
/// read it.
package struct FleetRecord: Sendable, Equatable {
    private let values: [String: String]

    /// - Parameter values: the columns that are not NULL.
    package init(_ values: [String: String]) { self.values = values }

    /// Text for people; nil if there is none.
    package func text(_ column: String, longest: Int = FleetText.longest) -> FleetText? {
        values[column].map { FleetText($0, longest: longest) }
    }

    /// Text for comparison only, never shown.
    package func raw(_ column: String) -> String? { values[column] }

    /// A whole number in the range of its rule; nil for anything else, without guessing.
    package func number<Rule: ForeignValueRule>(_ column: String, _ rule: Rule.Type) -> Rule.Value?
    where Rule.Value: FixedWidthInteger {
        values[column].flatMap { Rule.Value(digits: $0) }.flatMap { Rule.range.contains($0) ? $0 : nil }
    }

    /// A truth value as PostgreSQL writes it.
    package func flag(_ column: String) -> Bool? {
        switch values[column] {
        case "t": true
        case "f": false
        default: nil
        }
    }

    /// A time as seconds since 1970, which queries ask for with `extract(epoch …)`; nil beyond any calendar.
    package func date(_ column: String) -> Date? {
        guard let seconds = values[column].flatMap({ Double($0) }), seconds.isFinite else { return nil }
        let date = Date(timeIntervalSince1970: seconds)
        return CalendarDates.range.contains(date) ? date : nil
    }

    /// The bytes of a `bytea` column; nil for anything else, and for more than `most`.
    package func bytes(_ column: String, most: Int) -> [UInt8]? { FleetBytes.read(values[column], most: most) }

    /// The labels of an array; nil if any of them is invalid.
    package func labels(_ column: String, most: Int) -> FleetLabels? { FleetLabels(array: values[column], most: most) }
}
