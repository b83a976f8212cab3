// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Google's description of an object. The dialect accepts only the CRC32C that it has computed.
enum GCSEvidence: DialectEvidence {
    static func proof(of transfer: Transfer, _ source: TransferSpec.UploadSource, _ answer: Answer) -> UploadProof {
        let object = GCSObject(answer)
        let memory = GCSMemory(transfer.dialectMemory, source: source.identity)
        let own = memory.flatMap { $0.hashed == source.identity.size ? $0.checksum : nil }
        let stated = object?.checksum.map {
            TransferReceipt.CRC32CProof($0, statedBy: .server, isConfirmed: true)
        }
        let proof = stated ?? own.map { TransferReceipt.CRC32CProof($0, statedBy: .offstage, isConfirmed: true) }
        return UploadProof(crc32c: proof, version: object?.generation.map { "\($0)" })
    }

    static func inquiry(
        about transfer: Transfer,
        by way: TokenRequest.Way
    ) throws(RequestError) -> any ServerInquiry { try GCSInquiry(transfer.spec, by: way) }

    static func stored(_ answer: Answer, of transfer: Transfer) -> StoredObject? {
        GCSObject(answer).map { object in
            StoredObject(size: object.size, crc32c: object.checksum, version: object.generation.map { "\($0)" })
        }
    }
}

extension GCSUpload: EvidentDialect {
    static var evidence: any DialectEvidence.Type { GCSEvidence.self }
}
