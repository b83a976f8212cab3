// SPDX-License-Identifier: Apache-2.0

/// One metric with its samples, as defined by the OpenMetrics format
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

    /// One line of the text format.
    package struct Sample: Sendable, Equatable, Encodable {
        /// The metric's name with the sample's suffix.
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
    /// The unit of the values, which the name ends with; nil for plain numbers.
    package let unit: String?
    package let help: String
    package private(set) var samples: [Sample] = []
    /// When its counts began, in seconds since 1970.
    private let created: Double

    private enum CodingKeys: String, CodingKey { case name, type, unit, help, samples }

    /// - Parameters:
    ///   - name: without a suffix.
    ///   - type: the type of the metric.
    ///   - unit: the unit of its values; nil for plain numbers.
    ///   - created: when its counts began, in seconds since 1970.
    ///   - help: its description.
    package init(_ name: String, _ type: Kind, unit: String? = nil, created: Double = 0, _ help: String) {
        self.name = name
        self.type = type
        self.unit = unit
        self.created = created
        self.help = help
    }

    /// The family with one more value, for a counter, a gauge or an information.
    package func with(_ value: Double, _ labels: Label...) -> MetricFamily { with(value, labels) }

    package func with(_ value: Double, _ labels: [Label]) -> MetricFamily {
        var family = self
        family.add(value, labels)
        return family
    }

    /// Adds one more value, for a counter, a gauge or an information.
    package mutating func add(_ value: Double, _ labels: [Label] = []) {
        switch type {
        case .counter:
            add("_total", labels, value)
            add("_created", labels, created)
        case .info: add("_info", labels, value)
        case .gauge, .histogram: add("", labels, value)
        }
    }

    /// The family with one more set of buckets, for a histogram.
    ///
    /// - Parameters:
    ///   - bounds: their upper limits, lowest first.
    ///   - counts: the number of values in each bucket; the last one is for values above all limits.
    ///   - sum: the sum of all values.
    ///   - labels: the labels that distinguish it from the family's other sets.
    /// - Returns: the family, with one more sample for each bucket and three more.
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
