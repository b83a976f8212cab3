// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Dropbox's description of a file (FileMetadata). The dialect accepts only the `content_hash` that it has computed.
enum DropboxEvidence: DialectEvidence {
    static func proof(of transfer: Transfer, _ source: TransferSpec.UploadSource, _ answer: Answer) -> UploadProof {
        guard let file = DropboxJSON(parsing: answer.bodyStart).flatMap(DropboxFile.init) else { return UploadProof() }
        let proofs = digest(of: file).map { [TransferReceipt.Proof($0, statedBy: .server, isConfirmed: true)] } ?? []
        return UploadProof(proofs: proofs, version: file.revision)
    }

    static func inquiry(
        about transfer: Transfer,
        by way: TokenRequest.Way
    ) throws(RequestError) -> any ServerInquiry { try DropboxInquiry(transfer, by: way) }

    static func stored(_ answer: Answer, of transfer: Transfer) -> StoredObject? {
        guard let json = DropboxJSON(parsing: answer.bodyStart), let file = DropboxFile(json) else { return nil }
        var object = StoredObject(
            size: file.size,
            digest: digest(of: file),
            version: TransferReceipt.shown(file.revision, transfer.spec.secretRedactor)
        )
        let made = transfer.outcome?.answer.flatMap { DropboxJSON(parsing: $0.bodyStart) }
        guard let then = made?["path_display"].string, let now = json["path_display"].string,
            then.lowercased() != now.lowercased(), let dialect = transfer.spec.dialect,
            let parameters = try? DropboxParameters(dialect)
        else { return object }
        object.place = parameters.destination(saidBy: json) ?? parameters.destination
        return object
    }

    private static func digest(of file: DropboxFile) -> FileDigest? {
        file.contentHash.flatMap { FileDigest(sha256: $0, partSize: ContentHash.blockSize) }
    }
}

extension DropboxUpload: EvidentDialect {
    static var evidence: any DialectEvidence.Type { DropboxEvidence.self }
}
