// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Unique keys.
enum RandomKey {
    static func make() -> String { UUID().uuidString.lowercased() }

    /// 32 hexadecimal digits.
    static func marker() -> String { make().filter { $0 != "-" } }
}
