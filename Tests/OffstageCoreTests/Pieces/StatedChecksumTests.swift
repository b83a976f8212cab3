// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct StatedChecksumTests {
    /// The SHA-256 of nothing.
    private static let value = ":47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"
    private static let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let other = ":AAAAQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"

    private static func stated(_ fields: [String]) -> String? {
        Checksum(statedIn: fields.map { HeaderField(name: "repr-digest", value: $0) })?.sha256
    }

    @Test(arguments: [
        ["sha-256=\(value)"], ["md5=:AAAA:, sha-256=\(value)"], ["sha-256=\(value);a=1"],
        ["sha-512=:AAAA:", " sha-256=\(value) "], ["sha-256=\(value)", "sha-256=\(value)"],
    ])
    func `a digest of the whole is found among others`(fields: [String]) {
        #expect(Self.stated(fields) == Self.hex)
    }

    @Test(arguments: [
        [], [""], ["sha-256"], ["sha-256="], ["sha-256=:AAAA:"], ["sha-256=\(value.dropLast())"],
        ["sha-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="], ["sha-256=:\(hex):"], ["SHA-256=\(value)"],
        ["sha-256=\(value), sha-256=\(other)"], ["sha-512=\(value)"],
        ["sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hS*FU=:"],
    ])
    func `what is malformed or contradictory is none`(fields: [String]) {
        #expect(Self.stated(fields) == nil)
    }

    @Test func `the older Digest is read as well, and is no Repr-Digest`() {
        let value = String(Self.value.dropFirst().dropLast())
        let other = String(Self.other.dropFirst().dropLast())
        func stated(_ text: String) -> String? {
            Checksum(statedInDigest: [HeaderField(name: "digest", value: text)])?.sha256
        }
        for text in ["SHA-256=\(value)", "md5=AAAA==, sha-256=\(value)", "sha-256=\(value),SHA-256=\(value)"] {
            #expect(stated(text) == Self.hex)
            #expect(Self.stated([text]) == nil)
        }
        for text in ["", "sha-256", "sha-256=", "sha-256=\(Self.value)", "sha-256=\(value), sha-256=\(other)"] {
            #expect(stated(text) == nil)
        }
    }

    private static func stored(_ value: String, type: String? = nil, status: Int = 200) -> String? {
        var answer = Answer(status: status, headers: [HeaderField(name: "X-Amz-Checksum-SHA256", value: value)])
        if let type { answer.headers.append(HeaderField(name: "x-amz-checksum-type", value: type)) }
        return Checksum(storedAtS3: answer)?.sha256
    }

    @Test func `S3's digest counts if it is of the whole object`() {
        let value = String(Self.value.dropFirst().dropLast())
        #expect(Self.stored(value) == Self.hex)
        #expect(Self.stored(value, type: "FULL_OBJECT") == Self.hex)
        #expect(Self.stored(value, type: "COMPOSITE") == nil)
        #expect(Self.stored("\(value)-2") == nil)
        #expect(Self.stored(value, status: 206) == nil, "that of a part may be meant")
        #expect(Self.stored("") == nil && Self.stored("AAAA") == nil)
    }
}
