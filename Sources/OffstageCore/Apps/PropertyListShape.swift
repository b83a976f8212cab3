// SPDX-License-Identifier: Apache-2.0

/// Whether a property list may be given to a decoder: one that calls itself for each level overflows its stack with a file
/// that is nested deeply enough, and one that follows references never comes to an end with a circle of them.
///
/// Everything is looked at without recursion, in a time that grows with the file's length.
package enum PropertyListShape {
    /// Levels of dictionaries and arrays; an `Info.plist` has four or five.
    package static let deepest = 64
    /// Values in one list, each counted as often as it is referred to.
    package static let mostValues = 50_000

    /// Whether a file is a property list in XML or in Apple's binary form whose shape is harmless.
    package static func isHarmless(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: Array("bplist00".utf8)) {
            var list = BinaryPropertyList(bytes)
            return list?.isHarmless() ?? false
        }
        var list = XMLPropertyList(bytes)
        return list.isHarmless()
    }
}
