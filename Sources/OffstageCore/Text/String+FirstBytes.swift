// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The longest prefix of at most so many bytes that consists of whole Unicode scalars.
    package func first(bytes count: Int) -> String {
        guard utf8.count > count else { return self }
        var end = utf8.index(startIndex, offsetBy: count)
        // Back to the beginning of a scalar.
        while end > startIndex, UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
