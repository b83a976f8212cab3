// SPDX-License-Identifier: Apache-2.0

/// Unique keys: random UUIDs (version 4, <https://www.rfc-editor.org/rfc/rfc9562#section-5.4>) in lower case.
///
/// Foundation's `UUID()` opens `/dev/urandom` each time, and an app's `resume()` would wait for that.
package enum RandomKey {
    package static func make() -> String { text(hasHyphens: true) }

    /// The same without hyphens: 32 hexadecimal digits.
    package static func marker() -> String { text(hasHyphens: false) }

    private static func text(hasHyphens: Bool) -> String {
        // The version, and the variant.
        let high = UInt64.random(in: 0...UInt64.max) & ~0xF000 | 0x4000
        let low = UInt64.random(in: 0...UInt64.max) & ~(3 << 62) | 2 << 62
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for index in 0..<32 {
            switch index {
            case 8, 12, 16, 20: if hasHyphens { text.append(UInt8(ascii: "-")) }
            default: break
            }
            let half = index < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: half >> UInt64(60 - index % 16 * 4)) & 0xF
            text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
