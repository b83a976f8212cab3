// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct ChecksumTests {
    private static let digits = "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789abcdef"

    @Test(arguments: ["sha256:", "SHA256:", "Sha256:"]) func `sha256 and 64 digits are a checksum`(prefix: String)
        throws
    {
        let checksum = try Checksum(parsing: prefix + Self.digits)
        #expect(checksum.sha256 == Self.digits.lowercased())
        #expect(checksum.description == "sha256:" + Self.digits.lowercased())
    }

    private static let head = String(digits.dropLast(3))

    private static let others: [String] = [
        "", "sha256", "sha256:", "\(digits)", ":\(digits)", ":sha256:\(digits)", "sha256::\(digits)", "md5:\(digits)",
        "sha256:\(head)00", "sha256:\(digits)0", "sha256:\(head)00g", "sha256:\(head)\u{FF11}", "sha256: \(head)00",
        "sha256:\n\(head)00",
    ]

    @Test(arguments: others)
    func `anything else is refused`(text: String) throws {
        let error = try #require(throws: RequestError.self) { try Checksum(parsing: text) }
        #expect(!error.sentence.utf8.contains { $0 < 32 })
    }
}
