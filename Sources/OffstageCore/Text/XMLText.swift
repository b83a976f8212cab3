// SPDX-License-Identifier: Apache-2.0

/// Escapes text for XML and HTML.
package enum XMLText {
    /// - Parameters:
    ///   - text: any text.
    ///   - isQuoted: whether it may appear in quotation marks, as an attribute's value.
    /// - Returns: the text for a document.
    package static func escaped(_ text: String, isQuoted: Bool = false) -> String {
        guard text.utf8.contains(where: { reference($0, isQuoted) != nil }) else { return text }
        var result: [UInt8] = []
        for byte in text.utf8 {
            if let reference = reference(byte, isQuoted) { result += reference.utf8 } else { result.append(byte) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func reference(_ byte: UInt8, _ isQuoted: Bool) -> String? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): isQuoted ? "&quot;" : nil
        case UInt8(ascii: "'"): isQuoted ? "&#39;" : nil
        default: nil
        }
    }
}
