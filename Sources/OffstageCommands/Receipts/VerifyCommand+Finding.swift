// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

extension VerifyCommand {
    /// The result of comparing one file, on this machine or at a server.
    struct Finding: Encodable {
        let id: TransferID
        let path: String
        let isVerified: Bool
        /// The evidence; nil if the file is not verified.
        let provenBy: String?
        let sentence: String

        /// Creates a finding. `sentence` continues a sentence that begins with the transfer.
        init(_ detail: TransferDetail, path: String, provenBy evidence: TransferReceipt.Evidence?, _ sentence: String) {
            id = detail.row.id
            self.path = path
            isVerified = evidence != nil
            provenBy = evidence?.rawValue
            self.sentence = "Transfer \(detail.row.id): \(sentence)"
        }
    }
}

/// Verifies files on this machine.
extension VerifyCommand.Finding {
    init(_ detail: TransferDetail, file: String?) {
        let path = file ?? detail.row.path
        let (evidence, sentence) = Self.compare(detail, path, isNamed: file != nil)
        self.init(detail, path: path, provenBy: evidence, sentence)
    }

    private static func compare(
        _ detail: TransferDetail,
        _ path: String,
        isNamed: Bool
    ) -> (TransferReceipt.Evidence?, String) {
        guard let receipt = detail.receipt else {
            return (nil, "it has no receipt: \(ReceiptText.absence(of: detail.row)).")
        }
        if detail.row.form != nil { return (nil, "it sent a form, not one file.") }
        if detail.isSnapshot, !isNamed {
            return (nil, "it sent a private copy, which is gone: name the file with --file.")
        }
        do throws(CommandFailure) {
            let found = try FileDigester.digests(
                of: path,
                in: receipt.digests.map(\.partSize),
                wantsCRC32C: receipt.crc32c != nil
            )
            return compare(found, receipt, path.redactedControls)
        } catch {
            return (nil, error.sentences.joined(separator: " "))
        }
    }

    private static func compare(
        _ found: FileDigester.Result,
        _ receipt: TransferReceipt,
        _ name: String
    ) -> (TransferReceipt.Evidence?, String) {
        let wanted = receipt.digests
        guard found.identity.size == receipt.bytes else {
            return (nil, "\(name) has \(found.identity.size) bytes, and \(receipt.bytes) were transferred.")
        }
        if let (digest, other) = zip(found.digests, wanted).first(where: { $0 != $1 }) {
            return (nil, "\(name) is not what was transferred: its SHA-256 is \(digest.sha256), not \(other.sha256).")
        }
        if let own = found.crc32c, let other = receipt.crc32c?.checksum, own != other {
            return (nil, "\(name) is not what was transferred: its CRC32C is \(own.text), not \(other.text).")
        }
        if let digest = wanted.first {
            return (.sha256, "\(name) is what was transferred: \(receipt.bytes) bytes, SHA-256 \(digest.sha256).")
        }
        guard let crc32c = found.crc32c else {
            return (
                nil,
                "nothing is proven: \(name) has the size that was transferred, and the receipt has no SHA-256 (--sha256 records it)."
            )
        }
        return (
            .crc32c,
            "\(name) is what was transferred: \(receipt.bytes) bytes, CRC32C \(crc32c.text), which detects accidents, but not forgery."
        )
    }
}
