// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What the answer to an upload proves of its file.
struct UploadProof {
    var proofs: [TransferReceipt.Proof] = []
    var crc32c: TransferReceipt.CRC32CProof?
    /// The server's name for this version of the file.
    var version: String?
}

extension UploadProof {
    /// Of a server that follows no dialect, or one whose answer says no more.
    init(ofHTTP transfer: Transfer, _ answer: Answer) {
        // What was fetched after a redirect is another answer.
        if answer.wasFetched != true { proofs = S3Evidence.proofs(transfer, answer) }
        version = answer.headers["x-amz-version-id"]
    }
}
