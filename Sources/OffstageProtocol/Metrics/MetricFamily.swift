// SPDX-License-Identifier: Apache-2.0

/// One metric with its samples, as the OpenMetrics format has it
/// (<https://prometheus.io/docs/specs/om/open_metrics_spec/>).
package struct MetricFamily: Sendable, Equatable, Encodable {
    package enum Kind: String, Sendable, Encodable {
        case counter, gauge, histogram, info
    }

    package struct Label: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// One line.
    package struct Sample: Sendable, Equatable, Encodable {
        /// With its suffix.
        package var name: String
        package var labels: [Label]
        package var value: Double

        private enum CodingKeys: String, CodingKey { case name, labels, value }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            let pairs = labels.map { ($0.name, $0.value) }
            try container.encode(Dictionary(pairs) { first, _ in first }, forKey: .labels)
            try container.encode(value, forKey: .value)
        }
    }

    package let name: String
    package let type: Kind
    /// The unit of its values, with which its name ends; nil for plain numbers.
    package let unit: String?
    package let help: String
    package private(set) var samples: [Sample] = []
    /// When what it counts began to be counted, in seconds since 1970.
    private let created: Double

    private enum CodingKeys: String, CodingKey { case name, type, unit, help, samples }

    /// - Parameters:
    ///   - name: without a suffix.
    ///   - type: what it is.
    ///   - unit: the unit of its values; nil for plain numbers.
    ///   - created: when its counts began, in seconds since 1970.
    ///   - help: what it says.
    package init(_ name: String, _ type: Kind, unit: String? = nil, created: Double = 0, _ help: String) {
        self.name = name
        self.type = type
        self.unit = unit
        self.created = created
        self.help = help
    }

    /// The same with one more value, of a counter, a gauge or an information.
    package func with(_ value: Double, _ labels: Label...) -> MetricFamily { with(value, labels) }

    package func with(_ value: Double, _ labels: [Label]) -> MetricFamily {
        var family = self
        family.add(value, labels)
        return family
    }

    /// Adds one more value, of a counter, a gauge or an information.
    package mutating func add(_ value: Double, _ labels: [Label] = []) {
        switch type {
        case .counter:
            add("_total", labels, value)
            add("_created", labels, created)
        case .info: add("_info", labels, value)
        case .gauge, .histogram: add("", labels, value)
        }
    }

    /// The same with one more set of buckets, of a histogram.
    ///
    /// - Parameters:
    ///   - bounds: their upper limits, lowest first.
    ///   - counts: how many values are in each, and in the last how many are above all limits.
    ///   - sum: the sum of all values.
    ///   - labels: what sets it apart from the family's other sets.
    /// - Returns: the family, with one sample more for each bucket and three more.
    package func with(_ bounds: [Double], _ counts: [Int], sum: Double, _ labels: [Label]) -> MetricFamily {
        var family = self
        var total = 0.0
        for (bound, count) in zip(bounds + [.infinity], counts) {
            total += Double(count)  // checked: of type Double
            family.add("_bucket", labels + [Label("le", OpenMetricsText.number(bound))], total)
        }
        family.add("_count", labels, total)
        family.add("_sum", labels, sum)
        family.add("_created", labels, created)
        return family
    }

    private mutating func add(_ suffix: String, _ labels: [Label], _ value: Double) {
        samples.append(Sample(name: name + suffix, labels: labels, value: value))
    }
}
