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
}
