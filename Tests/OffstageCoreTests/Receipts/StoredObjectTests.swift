// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// What an S3 server says of an object now, compared with a receipt.
@Suite struct StoredObjectTests {
    private static func digest(_ byte: String, partSize: Int64? = nil) throws -> FileDigest {
        try #require(FileDigest(sha256: String(repeating: byte, count: 32), partSize: partSize))
    }

    private static func receipt(_ digests: [FileDigest], tag: String?) throws -> TransferReceipt {
        var transfer = Transfer(id: TransferID(rawValue: 7), spec: try Fixture.upload(), now: Fixture.moment(0))
        let headers = tag.map { [HeaderField(name: "ETag", value: $0)] } ?? []
        transfer.state = .finished(.completed(Answer(status: 200, headers: headers)), at: Fixture.moment(1))
        transfer.bytesDone = 300
        let proofs = digests.map {
            TransferReceipt.Proof($0, statedBy: .server, isConfirmed: false)
        }
        return try #require(TransferReceipt(of: transfer, proofs: proofs, version: nil))
    }

    private static func object(_ size: Int64? = 300, _ tag: String? = nil, _ digest: FileDigest? = nil) -> StoredObject
    {
        StoredObject(size: size, entityTag: tag, digest: digest)
    }

    @Test func `a digest counts for more than an ETag`() throws {
        let (whole, other) = (try Self.digest("0a"), try Self.digest("0c"))
        let (parts, otherParts) = (try Self.digest("0b", partSize: 5 << 20), try Self.digest("0c", partSize: 5 << 20))
        let rows: [(digests: [FileDigest], tag: String?, object: StoredObject?, finding: TransferReceipt.Finding)] = [
            ([whole], "e", nil, .missing), ([whole], "e", Self.object(299, "e", whole), .otherSize(299)),
            ([whole], "e", Self.object(300, "f", whole), .same(byDigest: true)),
            ([whole], "e", Self.object(nil, "f", whole), .same(byDigest: true)),
            ([whole], "e", Self.object(300, "e", other), .otherDigest(other.sha256, whole)),
            // Digests of parts are only compared with those of parts of the same size.
            ([whole, parts], "e", Self.object(300, "f", parts), .same(byDigest: true)),
            ([whole, parts], "e", Self.object(300, "e", otherParts), .otherDigest(otherParts.sha256, parts)),
            ([whole], "e", Self.object(300, "e", parts), .same(byDigest: false)),
            ([whole], "e", Self.object(300, "f", parts), .otherTag("e", now: "f")),
            ([], "e", Self.object(300, "e"), .same(byDigest: false)), ([], "e", Self.object(300, nil), .unproven),
            ([], nil, Self.object(300, "e", whole), .unproven),
        ]
        for (index, row) in rows.enumerated() {
            let receipt = try Self.receipt(row.digests, tag: row.tag)
            #expect(receipt.compared(with: row.object) == row.finding, "row \(index)")
        }
    }

    @Test func `a size that no file has is refused`() {
        for size in ["-1", "9223372036854775807"] {
            let object = try? ForeignJSON.decode(StoredObject.self, from: Array(#"{"size":\#(size)}"#.utf8))
            #expect(object == nil)
        }
    }
}
