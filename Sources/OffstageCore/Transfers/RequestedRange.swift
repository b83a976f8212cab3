// SPDX-License-Identifier: Apache-2.0

/// The single range of bytes that a request asks for in its field `Range` (RFC 9110, section 14.1.2).
package enum RequestedRange: Sendable, Equatable {
    /// Everything from a byte on, up to a last byte if one is given.
    case from(Int64, to: Int64?)
    /// This many bytes at the end.
    case last(Int64)

    /// Nil for several ranges, for a unit other than bytes, and for text that is not a range.
    package init?(_ text: String) {
        let text = text.lowercased().filter { $0 != " " && $0 != "\t" }
        guard text.hasPrefix("bytes=") else { return nil }
        let bounds = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return nil }
        let last = Int64(digits: bounds[1])
        guard let first = Int64(digits: bounds[0]) else {
            guard bounds[0].isEmpty, let last else { return nil }
            self = .last(last)
            return
        }
        guard last.map({ $0 >= first }) ?? bounds[1].isEmpty else { return nil }
        self = .from(first, to: last)
    }

    /// Whether a part of a file satisfies the request: everything requested that the file has.
    ///
    /// - Parameters:
    ///   - range: the part.
    ///   - total: the file's length; nil if unknown.
    /// - Returns: whether the part satisfies it.
    package func isMet(by range: ByteRange, of total: Int64?) -> Bool {
        let endsWithFile = total == nil || total == range.end
        switch self {
        case .from(let first, let last):
            guard range.first == first else { return false }
            guard let last else { return endsWithFile }
            return range.last == last || range.last < last && endsWithFile
        case .last(let count):
            return endsWithFile && range.count <= count && (range.count == count || total == nil || range.first == 0)
        }
    }
}
