// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What a seal is bound to: it opens for nothing else.
package struct SealSubject: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// The secrets of a specification, whose number nobody knows yet.
        case secrets
        /// What the dialect of that row remembers.
        case memory(row: Int64)
    }

    let content: Content
    /// The specification without its secrets, byte for byte as it stands in the database.
    let spec: String

    package init(_ content: Content, of spec: String) {
        self.content = content
        self.spec = spec
    }

    /// What is authenticated with the sealed bytes.
    var bound: [UInt8] {
        switch content {
        case .secrets: [1] + Array(spec.utf8)
        case .memory(let row):
            // checked: a shift below 64
            [2] + (0..<8).map { UInt8(truncatingIfNeeded: row >> Int64(56 - 8 * $0)) } + Array(spec.utf8)
        }
    }
}
