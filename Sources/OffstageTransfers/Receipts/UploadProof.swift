// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What the answer to an upload proves about its file.
struct UploadProof {
    var proofs: [TransferReceipt.Proof] = []
    var crc32c: TransferReceipt.CRC32CProof?
    /// The server's name for this version of the file.
    var version: String?
}

extension UploadProof {
    /// The proof of a server without a dialect, or whose answer states no more.
    init(ofHTTP transfer: Transfer, _ answer: Answer) {
        // A page fetched after a redirect is another answer.
        if answer.wasFetched != true { proofs = S3Evidence.proofs(transfer, answer) }
        version = answer.headers["x-amz-version-id"]
    }
}
