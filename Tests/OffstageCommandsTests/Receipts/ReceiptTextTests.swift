// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageProtocol
import Testing

@Suite struct ReceiptTextTests {
    private func lines(
        _ proofs: [TransferReceipt.Proof],
        crc32c: TransferReceipt.CRC32CProof? = nil,
        moved: Int64 = 5
    ) throws -> [String] {
        var transfer = try Samples.transfer(7, .completed(status: 200))
        transfer.bytesDone = 5
        transfer.past.moved = moved
        let row = TransferRow(
            transfer: transfer,
            reason: Reason(cause: .completed(status: 200), since: noon),
            bytesDone: 5,
            bytesTotal: 5,
            rate: 0
        )
        let receipt = TransferReceipt(of: transfer, proofs: proofs, crc32c: crc32c, version: "v2")
        return ReceiptText.lines(TransferDetail(transfer: transfer, row: row, partialPath: nil, receipt: receipt))
    }

    @Test func `each digest says who stated it`() throws {
        let digits = String(repeating: "0a", count: 32)
        let whole = try #require(FileDigest(sha256: digits))
        let parts = try #require(FileDigest(sha256: digits, partSize: 8 << 20))
        let text = try lines(
            [
                .init(whole, statedBy: .owner, isConfirmed: true), .init(parts, statedBy: .server, isConfirmed: false),
                .init(whole, statedBy: .server, isConfirmed: true),
            ],
            moved: 2005
        )
        #expect(text.contains("SHA-256:      \(digits), given by you, and computed here as well"))
        #expect(text.contains("SHA-256:      \(digits), of the digests of parts of 8.00 MiB, stated by the server"))
        #expect(text.contains("SHA-256:      \(digits), stated by the server, and computed here as well"))
        #expect(text.contains("Moved:        1.96 KiB transferred, 1.95 KiB of that again"))
        #expect(text.contains("Version:      v2, from the server"))
    }

    @Test func `a CRC32C says who stated it`() throws {
        let sum = CRC32C(value: 0xE306_9283)
        let stated = try lines([], crc32c: .init(sum, statedBy: .server, isConfirmed: true))
        #expect(stated.contains("CRC32C:       4waSgw==, stated by the server, and computed here as well"))
        let own = try lines([], crc32c: .init(sum, statedBy: .offstage, isConfirmed: true))
        let words = "computed here when the file was sent; the server stated none: only the length was compared"
        #expect(own.contains("CRC32C:       4waSgw==, \(words)"))
    }

    @Test func `what nobody has stated is said`() throws {
        let text = try lines([])
        #expect(text.contains("SHA-256:      not known; --sha256 records it"))
        #expect(text.contains("Moved:        5 B transferred"))
    }

    @Test func `without a receipt it says why`() throws {
        let failure = TransferFailure(.connectionLost, "gone")
        for (row, why) in [
            (try Samples.row(8, .retry(failure, attempts: 1)), "it has not completed yet"),
            (try Samples.row(8, .failed(failure)), "it did not complete"),
        ] {
            let detail = TransferDetail(transfer: try Samples.transfer(8, .failed(failure)), row: row, partialPath: nil)
            #expect(ReceiptText.lines(detail) == ["Transfer 8 has no receipt: \(why)."])
        }
    }
}
