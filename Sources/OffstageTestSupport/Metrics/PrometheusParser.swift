// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Reads the OpenMetrics text format with Prometheus' own parser, which is strict.
package enum PrometheusParser {
    private static let python = "/usr/bin/python3"

    package static let isPossible: Bool = {
        guard access(python, X_OK) == 0,
            let result = try? ChildProcess.run(python, ["-c", "import prometheus_client.openmetrics.parser"])
        else { return false }
        return result.status == .exited(0)
    }()

    private static let program = """
        import sys
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
        for family in text_string_to_metric_families(sys.stdin.read()):
            for sample in family.samples:
                labels = [f"{name}={value}" for name, value in sorted(sample.labels.items())]
                print(" ".join([sample.name] + labels) + "\\t" + repr(float(sample.value)))
        """

    /// The values by sample: `name label=value label=value`.
    ///
    /// - Throws: `TestError` with the parser's message, if the text is not in the format.
    package static func samples(in text: String) throws -> [String: Double] {
        let process = try ChildProcess(python, ["-c", program], input: Array(text.utf8))
        let result = try process.result(within: 30)
        guard result.isSuccess else { throw TestError("The parser refuses the text: \(result)") }
        var samples: [String: Double] = [:]
        for line in result.lines {
            let parts = line.split(separator: "\t")
            guard parts.count == 2, let value = Double(parts[1]) else { throw TestError("The parser printed \(line)") }
            samples[String(parts[0])] = value
        }
        return samples
    }
}
