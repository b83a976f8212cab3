// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

extension StoredObject {
    /// What an S3 server says of the object of a transfer (HeadObject).
    package init(_ answer: TokenAnswer, of transfer: Transfer) {
        let answer = Answer(status: answer.status, headers: answer.headers, httpVersion: "", finalURL: "")
        let digest =
            transfer.spec.isUpload
            ? TransferReceipt.ofS3(transfer, answer).first?.digest
            : Checksum(storedAtS3: answer).map { FileDigest($0) }
        self.init(
            size: answer.headers["Content-Length"].flatMap { Int64(digits: $0) },
            entityTag: TransferReceipt.shown(answer.headers["ETag"], transfer.spec.secretRedactor),
            digest: digest
        )
    }
}
