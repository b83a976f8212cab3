// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// What a server reports about a file now, compared with a receipt.
@Suite struct StoredObjectTests {
    private typealias Finding = TransferReceipt.Finding

    private static func digest(_ byte: String, partSize: Int64? = nil) throws -> FileDigest {
        try #require(FileDigest(sha256: String(repeating: byte, count: 32), partSize: partSize))
    }

    /// A receipt for 300 bytes, with a version and dates if given.
    private static func receipt(
        _ digests: [FileDigest] = [],
        tag: String? = nil,
        crc32c: UInt32? = nil,
        version: String? = nil,
        date: String? = nil
    ) throws -> TransferReceipt {
        let spec = try date == nil ? Fixture.upload() : Fixture.download()
        var transfer = Transfer(id: TransferID(rawValue: 7), spec: spec, now: Fixture.moment(0))
        var headers = tag.map { [HeaderField(name: "ETag", value: $0)] } ?? []
        if let date {
            headers += [HeaderField(name: "Last-Modified", value: date), HeaderField(name: "Date", value: "later")]
        }
        transfer.state = .finished(.completed(Answer(status: 200, headers: headers)), at: Fixture.moment(1))
        transfer.bytesDone = 300
        let proofs = digests.map {
            TransferReceipt.Proof($0, statedBy: .server, isConfirmed: false)
        }
        let sum = crc32c.map {
            TransferReceipt.CRC32CProof(CRC32C(value: $0), statedBy: .server, isConfirmed: true)
        }
        return try #require(TransferReceipt(of: transfer, proofs: proofs, crc32c: sum, version: version))
    }

    private static func object(_ size: Int64? = 300, _ tag: String? = nil, _ digest: FileDigest? = nil) -> StoredObject
    {
        StoredObject(size: size, digest: digest, entityTag: tag)
    }

    @Test func `a digest counts for more than an ETag`() throws {
        let (whole, other) = (try Self.digest("0a"), try Self.digest("0c"))
        let (parts, otherParts) = (try Self.digest("0b", partSize: 5 << 20), try Self.digest("0c", partSize: 5 << 20))
        let (blocks, otherBlocks) = (try Self.digest("0b", partSize: 4 << 20), try Self.digest("0c", partSize: 4 << 20))
        let rows: [(digests: [FileDigest], tag: String?, object: StoredObject?, finding: Finding)] = [
            ([whole], "e", nil, .missing), ([whole], "e", Self.object(299, "e", whole), .otherSize(299)),
            ([whole], "e", Self.object(300, "f", whole), .same(by: .sha256)),
            ([whole], "e", Self.object(nil, "f", whole), .same(by: .sha256)),
            ([whole], "e", Self.object(300, "e", other), .otherDigest(other.sha256, whole)),
            // Digests of parts are only compared with digests of parts of the same size.
            ([whole, parts], "e", Self.object(300, "f", parts), .same(by: .sha256)),
            // The number of parts is the same, and nothing else is known about them.
            ([whole, parts], "e", Self.object(300, "e", otherParts), .otherParts(otherParts.sha256, parts)),
            ([blocks], nil, Self.object(300, nil, blocks), .same(by: .sha256)),
            ([blocks], nil, Self.object(300, nil, otherBlocks), .otherDigest(otherBlocks.sha256, blocks)),
            ([whole], "e", Self.object(300, "e", parts), .same(by: .entityTag)),
            ([whole], "e", Self.object(300, "f", parts), .otherTag("e", now: "f")),
            ([], "e", Self.object(300, "e"), .same(by: .entityTag)), ([], "e", Self.object(300, nil), .alike(.length)),
            ([], nil, Self.object(300, "e", whole), .alike(.length)),
            ([], nil, Self.object(nil, "e"), .alike(.nothing)),
        ]
        for (index, row) in rows.enumerated() {
            let receipt = try Self.receipt(row.digests, tag: row.tag)
            #expect(receipt.compared(with: row.object) == row.finding, "row \(index)")
        }
    }

    @Test func `what was computed counts for more than what a server has stated, and each digest once`() throws {
        let (own, wrong) = (try Self.digest("0a"), try Self.digest("0c"))
        let parts = try Self.digest("0b", partSize: 5 << 20)
        var receipt = try Self.receipt()
        func proof(_ digest: FileDigest, _ side: TransferReceipt.Side, _ isConfirmed: Bool) {
            receipt.proofs.append(.init(digest, statedBy: side, isConfirmed: isConfirmed))
        }
        proof(wrong, .server, false)
        #expect(receipt.digests == [wrong])
        proof(own, .owner, true)
        proof(own, .offstage, true)
        proof(parts, .server, false)
        #expect(receipt.digests == [own, parts])
        #expect(receipt.compared(with: Self.object(300, nil, own)) == .same(by: .sha256))
        #expect(receipt.compared(with: Self.object(300, nil, wrong)) == .otherDigest(wrong.sha256, own))
    }

    @Test func `a weak ETag proves nothing`() throws {
        for (then, now, finding) in [
            ("W/\"e\"", "W/\"e\"", Finding.alike(.weakTag)), ("\"e\"", "W/\"e\"", .alike(.weakTag)),
            ("w/\"e\"", "w/\"e\"", .alike(.weakTag)), ("W/\"e\"", "\"e\"", .alike(.weakTag)),
            ("W/\"e\"", "W/\"f\"", .otherTag("W/\"e\"", now: "W/\"f\"")),
        ] {
            #expect(try Self.receipt(tag: then).compared(with: Self.object(300, now)) == finding)
            #expect(try Self.receipt(tag: then).compared(with: Self.object(301, now)) == .otherSize(301))
        }
        #expect(try Self.receipt(tag: "W/\"e\"").compared(with: Self.object(nil, "W/\"e\"")) == .alike(.nothing))
    }

    @Test func `a checksum of the content counts for more than a version`() throws {
        let receipt = try Self.receipt(crc32c: 7, version: "1")
        let sum = CRC32C(value: 7)
        let rows: [(StoredObject, Finding)] = [
            (StoredObject(size: 300, crc32c: sum, version: "2"), .same(by: .crc32c)),
            (
                StoredObject(size: 300, crc32c: CRC32C(value: 8), version: "1"),
                .otherChecksum(sum, now: CRC32C(value: 8))
            ),
            (StoredObject(size: 301, crc32c: sum, version: "1"), .otherSize(301)),
            (StoredObject(size: 300, version: "1"), .same(by: .version)),
            (StoredObject(size: 300, version: "2"), .otherVersion("1", now: "2")),
            (StoredObject(size: 300), .alike(.length)),
        ]
        for (object, finding) in rows { #expect(receipt.compared(with: object) == finding) }
    }

    @Test func `a date counts if there is nothing better`() throws {
        let receipt = try Self.receipt(date: "then")
        #expect(receipt.lastModified == "then")
        #expect(receipt.compared(with: StoredObject(size: 300, lastModified: "then")) == .same(by: .lastModified))
        #expect(
            receipt.compared(with: StoredObject(size: 300, lastModified: "now")) == .otherDate("then", now: "now")
        )
        let weak = try Self.receipt(tag: "W/\"e\"", date: "then")
        #expect(
            weak.compared(with: StoredObject(size: 300, entityTag: "W/\"e\"", lastModified: "then"))
                == .same(by: .lastModified)
        )
    }

    @Test func `a date in the second of the answer is none that proves anything, nor is one of an upload`() throws {
        for (isUpload, made, expected) in [(false, "later", "then"), (false, "then", nil), (true, "later", nil)] {
            let spec = try isUpload ? Fixture.upload() : Fixture.download()
            var transfer = Transfer(id: TransferID(rawValue: 7), spec: spec, now: Fixture.moment(0))
            let headers = [HeaderField(name: "Last-Modified", value: "then"), HeaderField(name: "Date", value: made)]
            transfer.state = .finished(.completed(Answer(status: 200, headers: headers)), at: Fixture.moment(1))
            #expect(TransferReceipt(of: transfer, proofs: [], version: nil)?.lastModified == expected)
        }
    }

    @Test func `a CRC32C is written as Google writes it`() throws {
        let sum = CRC32C(value: 0xE306_9283)
        #expect(sum.text == "4waSgw==" && CRC32C(text: "4waSgw==") == sum)
        for text in ["", "4waSgw", "4waSgwA=", "4waSgwAA", "!waSgw=="] { #expect(CRC32C(text: text) == nil) }
        let object = StoredObject(size: 300, crc32c: sum)
        let json = try JSONEncoder().encode(object)
        #expect(try ForeignJSON.decode(StoredObject.self, from: json) == object)
        #expect(throws: (any Error).self) {
            try ForeignJSON.decode(StoredObject.self, from: Array(#"{"crc32c":"AAAA"}"#.utf8))
        }
    }

    @Test func `a size that no file has is refused`() {
        for size in [-1, .max] as [Int64] { #expect(StoredObject(size: size).size == nil) }
        for size in ["-1", "9223372036854775807"] {
            let object = try? ForeignJSON.decode(StoredObject.self, from: Array(#"{"size":\#(size)}"#.utf8))
            #expect(object == nil)
        }
    }
}
