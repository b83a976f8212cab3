// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
package import OffstageProtocol

/// A transfer's receipt, for people.
package enum ReceiptText {
    package static func lines(_ detail: TransferDetail) -> [String] {
        let row = detail.row
        guard let receipt = detail.receipt else { return ["Transfer \(row.id) has no receipt: \(absence(of: row))."] }
        var pairs: [(String, String)] = [
            ("Receipt", "transfer \(row.id), \(row.isUpload ? "an upload" : "a download")"),
            ("File", row.path),
            (row.isUpload ? "Sent to" : "From", row.url),
        ]
        if let address = receipt.address { pairs.append(("Address", address)) }
        pairs += [
            ("Bytes", "\(receipt.bytes)"),
            ("Handed over", Format.fullTime(receipt.handedOverAt)),
            ("Completed", "\(Format.fullTime(receipt.finishedAt)), with HTTP status \(receipt.status)"),
            ("Attempts", "\(receipt.attempts)"),
            ("Moved", moved(receipt)),
        ]
        pairs += receipt.proofs.map { ("SHA-256", proof($0, isUpload: row.isUpload)) }
        if receipt.proofs.isEmpty { pairs.append(("SHA-256", "not known; --sha256 records it")) }
        if let crc32c = receipt.crc32c { pairs.append(("CRC32C", proof(crc32c))) }
        if let tag = receipt.entityTag { pairs.append(("ETag", "\(tag), from the server")) }
        if let date = receipt.lastModified { pairs.append(("Modified", "\(date), from the server")) }
        if let version = receipt.version { pairs.append(("Version", "\(version), from the server")) }
        if let request = receipt.requestID { pairs.append(("Request", "\(request), from the server")) }
        return pairs.map { "\(DetailText.padded($0.0)) \($0.1.redactedControls)" }
    }

    /// Why there is no receipt.
    package static func absence(of row: TransferRow) -> String {
        if row.kind != .finished { return "it has not completed yet" }
        return row.result == .completed ? "its server already had the file" : "it did not complete"
    }

    private static func moved(_ receipt: TransferReceipt) -> String {
        let all = "\(Format.bytes(receipt.moved)) transferred"
        return receipt.repeated > 0 ? "\(all), \(Format.bytes(receipt.repeated)) of that again" : all
    }

    private static func proof(_ proof: TransferReceipt.Proof, isUpload: Bool) -> String {
        let digest = proof.digest
        let parts = digest.partSize.map { ", of the digests of parts of \(Format.bytes($0))" } ?? ""
        let source =
            switch proof.statedBy {
            case .offstage:
                isUpload ? "computed here before the file was handed over" : "computed here when the file was saved"
            case .owner: "given by you, and computed here as well"
            case .server: proof.isConfirmed ? "stated by the server, and computed here as well" : "stated by the server"
            }
        return "\(digest.sha256)\(parts), \(source)"
    }

    private static func proof(_ proof: TransferReceipt.CRC32CProof) -> String {
        let source =
            switch proof.statedBy {
            case .offstage:
                "computed here when the file was sent; the server stated none: only the length was compared"
            case .owner: "given by you"
            case .server: proof.isConfirmed ? "stated by the server, and computed here as well" : "stated by the server"
            }
        return "\(proof.checksum.text), \(source)"
    }
}
