// SPDX-License-Identifier: Apache-2.0

/// Whether a property list may be given to a decoder. A deeply nested file overflows the stack of a recursive decoder,
/// and one with circular references never ends.
///
/// The check is not recursive, and its time grows with the file's length.
package enum PropertyListShape {
    /// Levels of dictionaries and arrays; an `Info.plist` has four or five.
    package static let deepest = 64
    /// The most values in one list, each counted for every reference.
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
