// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// What S3 states about an object in the answers to an upload and to HeadObject.
enum S3Evidence: DialectEvidence {
    static func inquiry(
        about transfer: Transfer,
        by way: TokenRequest.Way
    ) throws(RequestError) -> any ServerInquiry {
        guard let dialect = transfer.spec.dialect else { throw .invalidValue("It is not an object of S3") }
        let object = try S3Object(dialect)
        return S3Inquiry(.object(object.location), at: object.endpoint, keys: object.keys, by: way)
    }

    /// HeadObject. Its length and digest describe the whole object, of which an owner's range is a part.
    static func stored(_ answer: Answer, of transfer: Transfer) -> StoredObject? {
        let digest =
            transfer.spec.isUpload
            ? proofs(transfer, answer).first?.digest : Checksum(storedAtS3: answer).map { FileDigest($0) }
        let isWhole = !transfer.spec.hasOwnRange
        let head = ResponseHead(status: answer.status, headers: answer.headers)
        return StoredObject(
            size: isWhole ? StoredObject.size(head) : nil,
            digest: isWhole ? digest : nil,
            entityTag: TransferReceipt.shown(answer.headers["ETag"], transfer.spec.secretRedactor)
        )
    }

    /// The SHA-256 of an object, or of the digests of its parts and their number: `BASE64-N`
    /// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html).
    static func proofs(_ transfer: Transfer, _ answer: Answer) -> [TransferReceipt.Proof] {
        guard let value = answer.headers[S3Parameters.checksumField] else { return [] }
        let parts = value.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let base64 = parts.first, let bytes = Data(base64Encoded: String(base64)), bytes.count == 32 else {
            return []
        }
        var upload: S3Memory.Multipart?
        if case .upload(let source) = transfer.spec.direction {
            upload = S3Memory(transfer.dialectMemory, source: source.identity)?.upload
        }
        var partSize: Int64?
        if parts.count == 2 {
            guard case .upload(let source) = transfer.spec.direction, let upload,
                let plan = PartPlan(size: source.identity.size, partSize: upload.partSize),
                Int(digits: parts[1]) == plan.count
            else { return [] }
            partSize = upload.partSize
        } else if answer.headers["x-amz-checksum-type"] ?? (upload == nil ? "FULL_OBJECT" : "") != "FULL_OBJECT" {
            // The SHA-256 of the parts' digests, whose number the server has omitted.
            return []
        }
        let digest = FileDigest(sha256: Hexadecimal.text(Array(bytes)), partSize: partSize)
        return digest.map { [TransferReceipt.Proof($0, statedBy: .server, isConfirmed: false)] } ?? []
    }
}

extension S3Upload: EvidentDialect {
    static var evidence: any DialectEvidence.Type { S3Evidence.self }
}

extension S3Download: EvidentDialect {
    static var evidence: any DialectEvidence.Type { S3Evidence.self }
}
