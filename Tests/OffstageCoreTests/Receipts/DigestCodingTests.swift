// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct `Digests as they are stored and sent` {
    private static let digits = String(repeating: "0a", count: 32)

    private func decoded<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try JSONDecoder().decode([Value].self, from: Data("[\(json)]".utf8))[0]
    }

    @Test func `a recorded digest is wanted, or a SHA-256`() throws {
        let known = RecordedDigest.known(try Checksum(parsing: "sha256:" + Self.digits))
        for digest in [RecordedDigest.wanted, known] {
            let json = String(decoding: try JSONEncoder().encode([digest]), as: UTF8.self)
            #expect(try JSONDecoder().decode([RecordedDigest].self, from: Data(json.utf8)) == [digest])
        }
        #expect(known.checksum?.sha256 == Self.digits && RecordedDigest.wanted.checksum == nil)
        for text in ["", "known", "sha256:", "md5:\(Self.digits)", "sha256:\(Self.digits)0"] {
            #expect(throws: DecodingError.self) { try decoded(RecordedDigest.self, "\"\(text)\"") }
        }
    }

    @Test func `a file's digest has 64 digits, and parts that a file can have`() throws {
        #expect(try decoded(FileDigest.self, #"{"sha256":"\#(Self.digits)"}"#).partSize == nil)
        #expect(try decoded(FileDigest.self, #"{"sha256":"\#(Self.digits)","partSize":5}"#).partSize == 5)
        for rest in [#","partSize":0"#, #","partSize":-1"#, #","partSize":9223372036854775807"#] {
            #expect(throws: DecodingError.self) {
                try decoded(FileDigest.self, #"{"sha256":"\#(Self.digits)"\#(rest)}"#)
            }
        }
        #expect(FileDigest(sha256: "0a") == nil)
        #expect(FileDigest(sha256: Self.digits.uppercased())?.sha256 == Self.digits)
    }

    @Test func `a specification keeps its digest`() throws {
        var spec = try Fixture.upload()
        spec.digest = .known(try Checksum(parsing: "sha256:" + Self.digits))
        #expect(try JSONDecoder().decode(TransferSpec.self, from: Data(spec.json())) == spec)
    }
}
