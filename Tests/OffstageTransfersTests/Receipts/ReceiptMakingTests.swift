// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTransfers
import Testing

@Suite struct `Receipts of what servers say` {
    private static let digits = String(repeating: "0a", count: 32)
    private static let base64 = Data(repeating: 10, count: 32).base64EncodedString()
    private static let moment = Moment(wall: Date(timeIntervalSince1970: 1_800_000_000), bootID: "b", uptime: 1)

    private func receipt(
        _ direction: TransferSpec.Direction,
        _ answer: Answer,
        dialect: DialectSpec? = nil,
        _ change: (inout Transfer) -> Void = { _ in }
    ) throws -> TransferReceipt? {
        var spec = TransferSpec(direction: direction, url: try RequestURL("https://files.example/a"), owner: "command")
        spec.dialect = dialect
        var transfer = Transfer(id: TransferID(rawValue: 7), spec: spec, now: Self.moment)
        transfer.state = .finished(.completed(answer), at: Self.moment)
        change(&transfer)
        return TransferReceipt(of: transfer)
    }

    private func upload(size: Int64) -> TransferSpec.Direction {
        .upload(.init(path: "/tmp/a", identity: FileIdentity(device: 1, inode: 2, size: size, modified: 3)))
    }

    private func s3(_ checksum: String, size: Int64 = 40, memory: String? = nil) throws -> [TransferReceipt.Proof]? {
        let headers = [
            HeaderField(name: "x-amz-checksum-sha256", value: checksum),
            HeaderField(name: "x-amz-version-id", value: "v1"), HeaderField(name: "x-amz-request-id", value: "r1"),
        ]
        let receipt = try receipt(upload(size: size), Answer(status: 200, headers: headers)) {
            $0.dialectMemory = memory.map { Array($0.utf8) }
        }
        #expect(receipt?.version == "v1" && receipt?.requestID == "r1")
        return receipt?.proofs
    }

    @Test func `an object that S3 keeps in one piece`() throws {
        let digest = try #require(FileDigest(sha256: Self.digits))
        #expect(try s3(Self.base64) == [.init(digest, statedBy: .server, isConfirmed: false)])
        for nonsense in ["", "-", "x", "AAAA", Self.base64 + "-2", Self.base64 + "-x", Self.base64 + "-"] {
            #expect(try s3(nonsense) == [], "\(nonsense)")
        }
    }

    @Test func `an object of parts`() throws {
        let memory = #"{"v":1,"source":[1,2,12582912,3],"id":"u","partSize":5242880,"stored":0}"#
        let digest = try #require(FileDigest(sha256: Self.digits, partSize: 5_242_880))
        let size: Int64 = 12_582_912
        let proofs = try s3(Self.base64 + "-3", size: size, memory: memory)
        #expect(proofs == [.init(digest, statedBy: .server, isConfirmed: false)])
        #expect(try s3(Self.base64 + "-4", size: size, memory: memory) == [])
        #expect(try s3(Self.base64 + "-3", size: size) == [])
        // Without the number, it is still not a digest of the whole object: S3 has none for such objects.
        #expect(try s3(Self.base64, size: size, memory: memory) == [])
    }

    @Test func `a page that was fetched after an upload says nothing of the file`() throws {
        var answer = Answer(status: 200)
        answer.headers = [
            HeaderField(name: "ETag", value: "\"page\""), HeaderField(name: "x-amz-version-id", value: "v1"),
            HeaderField(name: "x-amz-checksum-sha256", value: Self.base64),
            HeaderField(name: "X-Request-Id", value: "r1"),
        ]
        for wasFetched in [nil, true] as [Bool?] {
            answer.wasFetched = wasFetched
            let stored = try ForeignJSON.decode(Answer.self, from: JSONEncoder().encode(answer))
            #expect(stored == answer)
            let receipt = try #require(try receipt(upload(size: 40), stored))
            let isOfFile = wasFetched == nil
            #expect((receipt.entityTag != nil) == isOfFile && (receipt.version != nil) == isOfFile)
            #expect(receipt.proofs.isEmpty != isOfFile && receipt.requestID == "r1")
        }
    }

    @Test func `a file that Dropbox has committed`() throws {
        let body = #"{"name":"a","size":40,"content_hash":"\#(Self.digits)","rev":"0123"}"#
        let answer = Answer(status: 200, bodyStart: Array(body.utf8))
        let dialect = DialectSpec(name: DropboxParameters.dialect, parameters: "{}", destination: "/a")
        let receipt = try receipt(upload(size: 40), answer, dialect: dialect)
        let digest = try #require(FileDigest(sha256: Self.digits, partSize: 4_194_304))
        #expect(receipt?.proofs == [.init(digest, statedBy: .server, isConfirmed: true)])
        #expect(receipt?.version == "0123")
    }

    @Test func `an object that Google has made`() throws {
        let dialect = DialectSpec(name: GCSParameters.dialect, parameters: "{}", destination: "gs://b/a")
        let sum = CRC32C(value: 0xE306_9283)
        let memory = #"{"v":1,"source":[1,2,40,3],"chunk":8388608,"hashed":40,"crc32c":\#(sum.value)}"#
        let known = #"{"size":"40","generation":"17","crc32c":"4waSgw=="}"#
        for (body, memory, proof) in [
            (known, memory, TransferReceipt.CRC32CProof(sum, statedBy: .server, isConfirmed: true)),
            (
                #"{"size":"40","generation":"17"}"#, memory,
                TransferReceipt.CRC32CProof(sum, statedBy: .offstage, isConfirmed: true)
            ),
            (#"{"size":"40","generation":"17"}"#, "{}", nil),
        ] as [(String, String, TransferReceipt.CRC32CProof?)] {
            let answer = Answer(status: 200, bodyStart: Array(body.utf8))
            let receipt = try receipt(upload(size: 40), answer, dialect: dialect) {
                $0.dialectMemory = Array(memory.utf8)
            }
            #expect(receipt?.version == "17" && receipt?.crc32c == proof && receipt?.proofs == [])
        }
    }

    @Test func `a download that its server and its owner state a digest of`() throws {
        let checksum = try Checksum(parsing: "sha256:" + Self.digits)
        let stated = HeaderField(name: "Repr-Digest", value: "sha-256=:\(Self.base64):")
        let target = TransferSpec.DownloadTarget(path: "/tmp/a")
        let answer = Answer(status: 200, headers: [stated])
        let digest = FileDigest(checksum)
        #expect(
            try receipt(.download(target), answer)?.proofs == [.init(digest, statedBy: .server, isConfirmed: false)]
        )
        // The digest computed at the save confirms it.
        let recorded = try receipt(.download(target), answer) { $0.spec.digest = .known(checksum) }
        #expect(
            recorded?.proofs == [
                .init(digest, statedBy: .offstage, isConfirmed: true),
                .init(digest, statedBy: .server, isConfirmed: true),
            ]
        )
        var checked = target
        checked.checksum = checksum
        let given = try receipt(.download(checked), Answer(status: 200))
        #expect(given?.proofs == [.init(digest, statedBy: .owner, isConfirmed: true)])
    }

    @Test func `what a server states of another content than was saved is left out`() throws {
        let checksum = try Checksum(parsing: "sha256:" + Self.digits)
        let stated = HeaderField(name: "Repr-Digest", value: "sha-256=:\(Self.base64):")
        let encoding = HeaderField(name: "Content-Encoding", value: "gzip")
        let target = TransferSpec.DownloadTarget(path: "/tmp/a")
        #expect(try receipt(.download(target), Answer(status: 200, headers: [stated, encoding]))?.proofs == [])
        let part = try receipt(.download(target), Answer(status: 206, headers: [stated])) {
            $0.spec.headers = [HeaderField(name: "Range", value: "bytes=0-4")]
        }
        #expect(part?.proofs == [])
        // The owner's checksum is compared instead of the server's.
        var other = target
        other.checksum = try Checksum(parsing: "sha256:" + String(repeating: "1b", count: 32))
        let both = try receipt(.download(other), Answer(status: 200, headers: [stated]))
        let server = TransferReceipt.Proof(FileDigest(checksum), statedBy: .server, isConfirmed: false)
        #expect(both?.proofs.contains(server) == true)
    }
}
