// SPDX-License-Identifier: Apache-2.0

/// A content coding that is decoded when a body arrives (RFC 9110, section 8.4.1).
package enum ContentCoding: Sendable, Equatable {
    case gzip
    case deflate

    /// - Parameter name: the name of a coding, in any case; nil for an unknown one.
    package init?(named name: String) {
        switch name.lowercased() {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        default: return nil
        }
    }
}
