// SPDX-License-Identifier: Apache-2.0

/// Arrays in PostgreSQL's text form, for use as parameters.
package enum FleetArray {
    package static func numbers(_ values: [some FixedWidthInteger]) -> String {
        "{" + values.map { String($0) }.joined(separator: ",") + "}"
    }

    package static func seconds(_ values: [Double]) -> String {
        "{" + values.map { "\($0)" }.joined(separator: ",") + "}"
    }

    /// Every text is quoted, whatever its contents; nil is NULL. PostgreSQL allows no NUL in texts: it becomes U+FFFD.
    package static func texts(_ values: [String?]) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "{")]
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            guard let value else {
                bytes += Array("NULL".utf8)
                continue
            }
            bytes.append(UInt8(ascii: "\""))
            for byte in value.utf8 {
                if byte == 0 {
                    bytes += [0xEF, 0xBF, 0xBD]
                    continue
                }
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(byte)
            }
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: "}"))
        return String(decoding: bytes, as: UTF8.self)
    }
}
