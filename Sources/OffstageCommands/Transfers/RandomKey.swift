// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Keys that nobody else has.
enum RandomKey {
    static func make() -> String { UUID().uuidString.lowercased() }
}
