// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore

extension TransferReceipt {
    /// The receipt of a transfer; nil if it has not completed.
    package init?(of transfer: Transfer) {
        guard let answer = transfer.outcome?.answer else { return nil }
        var (proofs, version) = ([Proof](), answer.headers["x-amz-version-id"])
        var crc32c: CRC32CProof?
        switch (transfer.spec.direction, transfer.spec.dialect?.name) {
        case (.download(let target), _): proofs = Self.ofDownload(transfer, target, answer)
        case (_, DropboxParameters.dialect?): (proofs, version) = Self.ofDropbox(answer)
        case (.upload(let source), GCSParameters.dialect?): (crc32c, version) = Self.ofGCS(transfer, source, answer)
        default: if answer.wasFetched != true { proofs = Self.ofS3(transfer, answer) }
        }
        if let own = transfer.spec.digest?.checksum.map({ FileDigest($0) }) {
            proofs = proofs.map {
                Proof($0.digest, statedBy: $0.statedBy, isConfirmed: $0.isConfirmed || $0.digest == own)
            }
            proofs.append(Proof(own, statedBy: .offstage, isConfirmed: true))
        }
        self.init(of: transfer, proofs: proofs.reversed(), crc32c: crc32c, version: version)
    }

    /// The checksums that the server and the owner have stated; the server's only if the file was saved whole, and was
    /// not encoded.
    private static func ofDownload(
        _ transfer: Transfer,
        _ target: TransferSpec.DownloadTarget,
        _ answer: Answer
    ) -> [Proof] {
        var proofs: [Proof] = []
        let encoding = answer.headers["Content-Encoding"]?.lowercased() ?? "identity"
        let isWhole = encoding == "identity" && transfer.spec.headers["Range"] == nil
        let ofObject = transfer.spec.dialect == nil ? nil : Checksum(storedAtS3: answer)
        if isWhole, let stated = Checksum(statedIn: answer.headers) ?? ofObject {
            // As when the file was saved: an owner's checksum takes precedence over the server's.
            let wasCompared = transfer.partial?.pieces != nil || transfer.spec.dialect != nil
            let isConfirmed = target.checksum.map { $0 == stated } ?? wasCompared
            proofs.append(Proof(FileDigest(stated), statedBy: .server, isConfirmed: isConfirmed))
        }
        if let checksum = target.checksum {
            proofs.append(Proof(FileDigest(checksum), statedBy: .owner, isConfirmed: true))
        }
        return proofs
    }

    /// Reads Dropbox's description of a committed file. The dialect accepts only the `content_hash` that it has
    /// computed.
    private static func ofDropbox(_ answer: Answer) -> ([Proof], String?) {
        guard let file = DropboxJSON(parsing: answer.bodyStart).flatMap(DropboxFile.init) else { return ([], nil) }
        let digest = file.contentHash.flatMap { FileDigest(sha256: $0, partSize: ContentHash.blockSize) }
        return (digest.map { [Proof($0, statedBy: .server, isConfirmed: true)] } ?? [], file.revision)
    }

    /// Reads Google's description of an object that it has made. The dialect accepts only the CRC32C that it has
    /// computed.
    private static func ofGCS(
        _ transfer: Transfer,
        _ source: TransferSpec.UploadSource,
        _ answer: Answer
    ) -> (CRC32CProof?, String?) {
        let object = GCSObject(answer)
        let memory = GCSMemory(transfer.dialectMemory, source: source.identity)
        let own = memory.flatMap { $0.hashed == source.identity.size ? $0.checksum : nil }
        let stated = object?.checksum.map { CRC32CProof($0, statedBy: .server, isConfirmed: true) }
        let proof = stated ?? own.map { CRC32CProof($0, statedBy: .offstage, isConfirmed: true) }
        return (proof, object?.generation.map { "\($0)" })
    }

    /// The SHA-256 of an object, or of the digests of its parts and their number: `BASE64-N`
    /// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html).
    static func ofS3(_ transfer: Transfer, _ answer: Answer) -> [Proof] {
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
            // The SHA-256 of the parts' digests, whose number the server has left out.
            return []
        }
        let digest = FileDigest(sha256: FileHasher.hexadecimal(Array(bytes)), partSize: partSize)
        return digest.map { [Proof($0, statedBy: .server, isConfirmed: false)] } ?? []
    }
}
