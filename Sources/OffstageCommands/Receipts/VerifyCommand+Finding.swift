// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

extension VerifyCommand {
    /// What the comparison of one file, or object, came to.
    struct Finding: Encodable {
        let id: TransferID
        let path: String
        let isVerified: Bool
        let sentence: String

        init(_ detail: TransferDetail, file: String?) {
            id = detail.row.id
            path = file ?? detail.row.path
            let result = Self.compare(detail, path, isNamed: file != nil)
            isVerified = result.isVerified
            sentence = "Transfer \(detail.row.id): \(result.sentence)"
        }

        private static func compare(
            _ detail: TransferDetail,
            _ path: String,
            isNamed: Bool
        ) -> (isVerified: Bool, sentence: String) {
            let name = path.redactedControls
            guard let receipt = detail.receipt else {
                return (false, "it has no receipt: \(ReceiptText.absence(of: detail.row)).")
            }
            if detail.row.form != nil { return (false, "it has sent a form, and not one file.") }
            if detail.isSnapshot, !isNamed {
                return (false, "it has sent a private copy, which is gone: name the file with --file.")
            }
            let wanted = receipt.proofs.map(\.digest)
            let found: (digests: [FileDigest], identity: FileIdentity)
            do throws(CommandFailure) {
                found = try FileDigester.digests(of: path, in: wanted.map(\.partSize))
            } catch {
                return (false, error.sentences.joined(separator: " "))
            }
            guard found.identity.size == receipt.bytes else {
                return (false, "\(name) has \(found.identity.size) bytes, and \(receipt.bytes) were transferred.")
            }
            if let (digest, other) = zip(found.digests, wanted).first(where: { $0 != $1 }) {
                return (
                    false, "\(name) is not what was transferred: its SHA-256 is \(digest.sha256), not \(other.sha256)."
                )
            }
            guard let digest = wanted.first else {
                return (
                    false,
                    "nothing is proven: \(name) has the size that was transferred, and the receipt has no SHA-256 (--sha256 records it)."
                )
            }
            return (true, "\(name) is what was transferred: \(receipt.bytes) bytes, SHA-256 \(digest.sha256).")
        }
    }
}

/// Objects at their server.
extension VerifyCommand.Finding {
    /// Seconds that the daemon may take: it asks the server, perhaps for another key as well.
    private static let patience = 120.0

    /// Asks the server of a transfer what it has now.
    init(_ detail: TransferDetail, askingBy connection: DaemonConnection) {
        id = detail.row.id
        path = detail.row.url
        let result = Self.ask(detail, connection)
        isVerified = result.isVerified
        sentence = "Transfer \(detail.row.id): \(result.sentence)"
    }

    private static func ask(
        _ detail: TransferDetail,
        _ connection: DaemonConnection
    ) -> (isVerified: Bool, sentence: String) {
        guard let receipt = detail.receipt else {
            return (false, "it has no receipt: \(ReceiptText.absence(of: detail.row)).")
        }
        do throws(OffstageError) {
            let reply = try connection.send(CheckObject(id: detail.row.id), within: patience)
            let finding = receipt.compared(with: reply.object)
            return (finding.isSame, sentence(finding, receipt, detail.row.url.redactedControls))
        } catch {
            return (false, error.description.redactedControls)
        }
    }

    private static func sentence(
        _ finding: TransferReceipt.Finding,
        _ receipt: TransferReceipt,
        _ url: String
    ) -> String {
        switch finding {
        case .same(byDigest: true): "\(url) is what was transferred: \(receipt.bytes) bytes, by its SHA-256."
        case .same(byDigest: false):
            "\(url) is the object of the transfer: \(receipt.bytes) bytes, by its ETag."
        case .missing: "there is no object at \(url) any more."
        case .otherSize(let size): "\(url) has \(size) bytes now, and \(receipt.bytes) were transferred."
        case .otherDigest(let now, let before):
            "\(url) is not what was transferred: its SHA-256 is \(now), not \(before.sha256)."
        case .otherTag(let before, let now):
            "\(url) is another object, or the same content stored anew: its ETag is \(now), not \(before). Fetch it, and compare it with --file."
        case .unproven:
            "nothing is proven: neither the server nor the receipt says more of \(url) than its size. Fetch it, and compare it with --file."
        }
    }
}

extension TransferReceipt.Finding {
    fileprivate var isSame: Bool { if case .same = self { true } else { false } }
}
