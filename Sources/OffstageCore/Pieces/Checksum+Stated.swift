// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

extension Checksum {
    /// The checksum that a download's file must have when it is saved: the owner's, or else, for a file in pieces, the
    /// SHA-256 that its server has stated. A mistake in one of several requests would otherwise be seen by nobody.
    package init?(expectedOf transfer: Transfer) {
        guard case .download(let target) = transfer.spec.direction else { return nil }
        if let checksum = target.checksum {
            self = checksum
        } else if case .saving(let answer, _) = transfer.state, transfer.partial?.pieces != nil {
            self.init(statedIn: answer.headers)
        } else {
            return nil
        }
    }

    /// The SHA-256 of the whole file that a response states (`Repr-Digest`, RFC 9530), also one with a part of it. Nil if
    /// there is none, if it is malformed, or if several differ.
    package init?(statedIn headers: [HeaderField]) {
        var items: [String] = []
        for field in headers where field.name.caseInsensitiveEquals("Repr-Digest") {
            for item in field.value.split(separator: ",") { items.append(item.filter { $0 != " " && $0 != "\t" }) }
        }
        let key = "sha-256="
        let values = Set(items.filter { $0.hasPrefix(key) }.map { $0.dropFirst(key.count).prefix { $0 != ";" } })
        guard values.count == 1, let value = values.first, value.hasPrefix(":"), value.hasSuffix(":"),
            value.utf8.count == 46, let digest = Data(base64Encoded: String(value.dropFirst().dropLast())),
            digest.count == 32
        else { return nil }
        let digits = Array("0123456789abcdef")
        // checked: halves of a byte
        let text = digest.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
        guard let checksum = try? Checksum(parsing: "sha256:" + text) else { return nil }
        self = checksum
    }
}
