// SPDX-License-Identifier: Apache-2.0

/// Numbers of bytes for people.
package enum ByteText {
    /// `999 B`, `1.5 KiB`, `12.3 MiB`, `1.00 GiB`: three significant digits.
    package static func of(_ count: Int64) -> String {
        if count < 1024 { return "\(max(0, count)) B" }
        var value = Double(count)
        var unit = ""
        for next in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] where value >= 1023.5 || unit.isEmpty {
            value /= 1024
            unit = next
        }
        return "\(threeDigits(value)) \(unit)"
    }

    private static func threeDigits(_ value: Double) -> String {
        switch value {
        case ..<9.995: fixed(value, places: 2)
        case ..<99.95: fixed(value, places: 1)
        default: fixed(value, places: 0)
        }
    }

    private static func fixed(_ value: Double, places: Int) -> String {
        let scale = [1.0, 10, 100][places]
        let whole = Int((value * scale).rounded())
        guard places > 0 else { return String(whole) }
        let fraction = String(whole % Int(scale))
        return "\(whole / Int(scale))." + String(repeating: "0", count: places - fraction.count) + fraction
    }
}
