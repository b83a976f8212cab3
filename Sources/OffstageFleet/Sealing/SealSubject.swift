// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The subject that a seal is bound to. It cannot be opened for any other.
package struct SealSubject: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// The secrets of a specification, whose row has no number yet.
        case secrets
        /// The memory of that row's dialect.
        case memory(row: Int64)
    }

    let content: Content
    /// The specification without its secrets, byte for byte as in the database.
    let spec: String

    package init(_ content: Content, of spec: String) {
        self.content = content
        self.spec = spec
    }

    /// The data that is authenticated along with the sealed bytes.
    var bound: [UInt8] {
        switch content {
        case .secrets: [1] + Array(spec.utf8)
        case .memory(let row):
            // checked: a shift below 64
            [2] + (0..<8).map { UInt8(truncatingIfNeeded: row >> Int64(56 - 8 * $0)) } + Array(spec.utf8)
        }
    }
}
