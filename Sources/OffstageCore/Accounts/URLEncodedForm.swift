// SPDX-License-Identifier: Apache-2.0

/// Names and values in `application/x-www-form-urlencoded` form: the body of a token request, the query of an authorize
/// URL, and what comes back to a redirect URI.
package enum URLEncodedForm {
    package static func encode(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    /// Everything except RFC 3986's unreserved characters becomes `%XX`, so that the text is also valid in a query.
    private static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    /// RFC 3986, section 2.3.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    /// The fields of a text; the first one of each name. Invalid escapes stay as they are.
    package static func decode(_ text: some StringProtocol) -> [String: String] {
        var fields: [String: String] = [:]
        for part in Array(text.utf8).split(separator: UInt8(ascii: "&")) {
            let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = decodeValue(pair[0])
            if fields[name] == nil { fields[name] = pair.count == 2 ? decodeValue(pair[1]) : "" }
        }
        return fields
    }

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
