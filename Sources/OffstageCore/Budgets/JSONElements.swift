// SPDX-License-Identifier: Apache-2.0

/// The positions of an array's elements in a text that has been decoded, so that elements can be kept as they were
/// written without encoding them again.
package enum JSONElements {
    /// The elements of the array in an object whose only member is that array, each as written.
    ///
    /// - Parameters:
    ///   - name: the member's name.
    ///   - text: complete and valid JSON, already decoded.
    ///   - longest: the most bytes of an element; nil represents a longer one.
    /// - Returns: nil for an object in any other form, such as one with spaces between its parts.
    package static func written(in name: String, of text: [UInt8], longest: Int) -> [ArraySlice<UInt8>?]? {
        let head = Array("{\"\(name)\":[".utf8)
        guard text.starts(with: head), text.suffix(2) == [0x5D, 0x7D] else { return nil }
        var elements: [ArraySlice<UInt8>?] = []
        var (start, index, open) = (head.count, head.count, 0)
        func element(to end: Int) -> ArraySlice<UInt8>? {
            end - start <= longest ? text[start..<end] : nil  // checked: both are places in the text, in order
        }
        let end = text.count - 2  // checked: the head is longer
        while index < end {
            switch text[index] {  // checked: before the end
            case 0x22:  // a string: skip to its end
                index += 1  // checked: a place in memory
                while index < end, text[index] != 0x22 { index += text[index] == 0x5C ? 2 : 1 }  // checked: as above
            case 0x5B, 0x7B: open += 1  // checked: fewer than there are bytes
            case 0x5D, 0x7D:
                open -= 1  // checked: as above
                // The array has ended: this bracket belongs to another member.
                if open < 0 { return nil }
            case 0x2C where open == 0:
                elements.append(element(to: index))
                start = index + 1  // checked: a place in memory
            default: break
            }
            index += 1  // checked: a place in memory
        }
        guard open == 0, index == end else { return nil }
        if start < end { elements.append(element(to: end)) }
        return elements
    }
}
