// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore

extension TransferReceipt {
    /// The receipt of a transfer; nil if it has not completed.
    package init?(of transfer: Transfer) {
        guard let answer = transfer.outcome?.answer else { return nil }
        let proof =
            switch transfer.spec.direction {
            case .download(let target):
                UploadProof(
                    proofs: Self.ofDownload(transfer, target, answer),
                    version: answer.headers["x-amz-version-id"]
                )
            case .upload(let source):
                Dialects.evidence(of: transfer.spec)?.proof(of: transfer, source, answer)
                    ?? UploadProof(ofHTTP: transfer, answer)
            case .form: UploadProof(ofHTTP: transfer, answer)
            }
        var proofs = proof.proofs
        if let own = transfer.spec.digest?.checksum.map({ FileDigest($0) }) {
            proofs = proofs.map {
                Proof($0.digest, statedBy: $0.statedBy, isConfirmed: $0.isConfirmed || $0.digest == own)
            }
            proofs.append(Proof(own, statedBy: .offstage, isConfirmed: true))
        }
        self.init(of: transfer, proofs: proofs.reversed(), crc32c: proof.crc32c, version: proof.version)
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
            // As when saving the file: an owner's checksum takes precedence over the server's.
            let wasCompared = transfer.partial?.pieces != nil || transfer.spec.dialect != nil
            let isConfirmed = target.checksum.map { $0 == stated } ?? wasCompared
            proofs.append(Proof(FileDigest(stated), statedBy: .server, isConfirmed: isConfirmed))
        }
        if let checksum = target.checksum {
            proofs.append(Proof(FileDigest(checksum), statedBy: .owner, isConfirmed: true))
        }
        return proofs
    }
}
