// SPDX-License-Identifier: Apache-2.0

/// Names and values in `application/x-www-form-urlencoded` form: the body of a token request, the query of an authorize
/// URL, and the query returned to a redirect URI.
package enum URLEncodedForm {
    package static func encode(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\(PercentEncoding.encoded($0.name))=\(PercentEncoding.encoded($0.value))" }.joined(separator: "&")
    }

    /// The fields of a text; only the first of each name. Invalid escapes stay unchanged.
    package static func decode(_ text: some StringProtocol) -> [String: String] {
        var fields: [String: String] = [:]
        for part in Array(text.utf8).split(separator: UInt8(ascii: "&")) {
            let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = decodeValue(pair[0])
            if fields[name] == nil { fields[name] = pair.count == 2 ? decodeValue(pair[1]) : "" }
        }
        return fields
    }

    /// The decoded text of a value. Invalid escapes stay unchanged.
    package static func decodeValue(_ text: String) -> String { decodeValue(Array(text.utf8)[...]) }

    private static func decodeValue(_ bytes: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                result.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"), let high = nibble(rest.first), let low = nibble(rest.dropFirst().first)
            {
                result.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func nibble(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case .some(let byte) where (48...57).contains(byte): byte - 48
        case .some(let byte) where (65...70).contains(byte): byte - 55
        case .some(let byte) where (97...102).contains(byte): byte - 87
        default: nil
        }
    }
}
