// SPDX-License-Identifier: Apache-2.0

/// A reading of the kernel's pressure stall information.
package struct PressureReading: Sendable, Hashable {
    /// Percent of the last 10 s in which some program waited.
    package var average10: Double

    /// - Parameter text: the contents of a file such as `/proc/pressure/cpu`: `some avg10=0.69 avg60=…`.
    package init?(_ text: String) {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("some ") }),
            let field = line.split(separator: " ").first(where: { $0.hasPrefix("avg10=") }),
            let percent = Double(field.dropFirst("avg10=".count)), percent.isFinite
        else { return nil }
        average10 = percent
    }
}
