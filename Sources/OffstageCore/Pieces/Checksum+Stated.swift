// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

extension Checksum {
    /// The checksum that a download's file must have when it is saved: the owner's, if there is one. Otherwise the one
    /// that the server has stated, but only for a download in a dialect or in pieces: otherwise, a mistake in one of
    /// several requests would go undetected.
    package init?(expectedOf transfer: Transfer) {
        guard case .download(let target) = transfer.spec.direction else { return nil }
        if let checksum = target.checksum {
            self = checksum
        } else if case .saving(let answer, _) = transfer.state {
            let isInDialect = transfer.spec.dialect != nil
            // If the owner has requested a range, the stated checksum is still that of the whole file.
            guard isInDialect || transfer.partial?.pieces != nil, transfer.spec.headers["Range"] == nil,
                let stated = Checksum(statedIn: answer.headers) ?? (isInDialect ? Checksum(storedAtS3: answer) : nil)
            else { return nil }
            self = stated
        } else {
            return nil
        }
    }

    /// The SHA-256 of the whole file that a response states (`Repr-Digest`, RFC 9530), even one with only a part of it.
    /// Nil if there is none, if it is malformed, or if several differ.
    package init?(statedIn headers: [HeaderField]) {
        var items: [String] = []
        for field in headers where field.name.caseInsensitiveEquals("Repr-Digest") {
            for item in field.value.split(separator: ",") { items.append(item.filter { $0 != " " && $0 != "\t" }) }
        }
        let key = "sha-256="
        let values = Set(items.filter { $0.hasPrefix(key) }.map { $0.dropFirst(key.count).prefix { $0 != ";" } })
        guard values.count == 1, let value = values.first, value.hasPrefix(":"), value.hasSuffix(":") else {
            return nil
        }
        self.init(base64: String(value.dropFirst().dropLast()))
    }

    /// The SHA-256 that a response states in the older form of RFC 3230, `Digest: SHA-256=…`. Nil if there is none, if
    /// it is malformed, or if several differ.
    package init?(statedInDigest headers: [HeaderField]) {
        let key = "sha-256="
        let items = headers.filter { $0.name.caseInsensitiveEquals("Digest") }
            .flatMap { $0.value.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" } }
            .filter { $0.lowercased().hasPrefix(key) }
        let values = Set(items.map { $0.dropFirst(key.count) })
        guard values.count == 1, let value = values.first else { return nil }
        self.init(base64: String(value))
    }

    /// The SHA-256 that S3 has stored with a whole object. Nil if there is none. For an object in parts, S3 has the
    /// SHA-256 of the parts' digests, with their number; an answer with part of an object may state the SHA-256 of that
    /// part.
    package init?(storedAtS3 answer: Answer) {
        guard answer.status == 200, answer.headers["x-amz-checksum-type"] ?? "FULL_OBJECT" == "FULL_OBJECT",
            let value = answer.headers["x-amz-checksum-sha256"]
        else { return nil }
        self.init(base64: value)
    }

    private init?(base64 text: String) {
        guard text.utf8.count == 44, let digest = Data(base64Encoded: text), digest.count == 32 else { return nil }
        let digits = Array("0123456789abcdef")
        // checked: halves of a byte
        let text = digest.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
        guard let checksum = try? Checksum(parsing: "sha256:" + text) else { return nil }
        self = checksum
    }
}
