// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol

/// A transfer's receipt in `--json` output (docs/json.md).
struct ReceiptDocument: Encodable {
    struct Proof: Encodable {
        let sha256: String
        let partSize: Int64?
        let statedBy: String
        let isConfirmed: Bool
    }

    struct CRC32CProof: Encodable {
        let value: CRC32C
        let statedBy: String
        let isConfirmed: Bool
    }

    let id: TransferID
    let isUpload: Bool
    let path: String
    let url: String
    let bytes: Int64
    let bytesMoved: Int64
    let bytesRepeated: Int64
    let attempts: Int
    let handedOverAt: Date
    let completedAt: Date
    let status: Int
    let address: String?
    let proofs: [Proof]
    let crc32c: CRC32CProof?
    let entityTag: String?
    let lastModified: String?
    let version: String?
    let requestID: String?

    /// Nil without a receipt.
    init?(_ detail: TransferDetail) {
        guard let receipt = detail.receipt else { return nil }
        id = detail.row.id
        isUpload = detail.row.isUpload
        path = detail.row.path
        url = detail.row.url
        bytes = receipt.bytes
        bytesMoved = receipt.moved
        bytesRepeated = receipt.repeated
        attempts = receipt.attempts
        handedOverAt = receipt.handedOverAt
        completedAt = receipt.finishedAt
        status = receipt.status
        address = receipt.address
        proofs = receipt.proofs.map {
            Proof(
                sha256: $0.digest.sha256,
                partSize: $0.digest.partSize,
                statedBy: $0.statedBy.rawValue,
                isConfirmed: $0.isConfirmed
            )
        }
        crc32c = receipt.crc32c.map {
            CRC32CProof(value: $0.checksum, statedBy: $0.statedBy.rawValue, isConfirmed: $0.isConfirmed)
        }
        entityTag = receipt.entityTag
        lastModified = receipt.lastModified
        version = receipt.version
        requestID = receipt.requestID
    }
}
