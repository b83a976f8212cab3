// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A version of the draft, as peers name it (`Upload-Draft-Interop-Version`), and the terms that differ between
/// versions.
struct ResumableVersion: Sendable, Equatable, Codable {
    let number: Int

    /// The version that is tried first, and the version for servers that refuse it without naming their own.
    static let newest = ResumableVersion(number: 8)
    static let common = ResumableVersion(number: 6)
    /// The versions that are supported. What 9 changes is not published in a draft yet.
    private static let known = [3, 4, 5, 6, 7, 8]

    static let header = "Upload-Draft-Interop-Version"

    private init(number: Int) { self.number = number }

    /// A version by its number; nil if it is not supported.
    init?(known number: Int) {
        guard Self.known.contains(number) else { return nil }
        self.number = number
    }

    /// The version that a server names; nil if it is not supported.
    init?(_ headers: [HeaderField]) {
        guard let text = headers[Self.header], let number = Int(digits: text) else { return nil }
        self.init(known: number)
    }

    init(from decoder: any Decoder) throws {
        let number = try decoder.singleValueContainer().decode(Int.self)
        guard Self.known.contains(number) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not spoken"))
        }
        self.number = number
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    /// The field that states whether a request carries the end of the file.
    func completeness(_ isLast: Bool) -> HeaderField {
        number <= 3
            ? HeaderField(name: "Upload-Incomplete", value: isLast ? "?0" : "?1")
            : HeaderField(name: "Upload-Complete", value: isLast ? "?1" : "?0")
    }

    /// The body's media type in an append.
    var appendType: String { number >= 6 ? "application/partial-upload" : "application/octet-stream" }

    /// Whether a response states that the upload is complete: then it is the target's own response. Nil if it states
    /// nothing.
    func isComplete(_ headers: [HeaderField]) -> Bool? {
        if number > 3, let value = headers["Upload-Complete"] {
            return value == "?1" ? true : value == "?0" ? false : nil
        }
        if let value = headers["Upload-Incomplete"] { return value == "?0" ? true : value == "?1" ? false : nil }
        return nil
    }
}
