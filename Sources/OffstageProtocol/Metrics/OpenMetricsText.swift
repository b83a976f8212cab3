// SPDX-License-Identifier: Apache-2.0

/// The text format of OpenMetrics 1.0 (<https://prometheus.io/docs/specs/om/open_metrics_spec/>).
package enum OpenMetricsText {
    /// The media type of the text, for HTTP.
    package static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// - Parameter families: the families, each with a unique name.
    /// - Returns: the whole text, including the line that ends it.
    package static func of(_ families: [MetricFamily]) -> String {
        var text = ""
        for family in families {
            text += "# TYPE \(family.name) \(family.type.rawValue)\n"
            if let unit = family.unit { text += "# UNIT \(family.name) \(unit)\n" }
            text += "# HELP \(family.name) \(escaped(family.help))\n"
            for sample in family.samples {
                let labels = sample.labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",")
                text += sample.name + (labels.isEmpty ? "" : "{\(labels)}") + " \(value(sample.value))\n"
            }
        }
        return text + "# EOF\n"
    }

    /// A number with a decimal point, which the format requires for the limits of buckets.
    static func number(_ value: Double) -> String { value == .infinity ? "+Inf" : "\(value)" }

    /// Whole numbers need no point.
    private static func value(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? number(value)
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
