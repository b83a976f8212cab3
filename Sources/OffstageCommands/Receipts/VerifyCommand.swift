// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage verify ID…` compares files with the receipts of their transfers.
package struct VerifyCommand: Command {
    package static let path = ["verify"]
    package static let summary = "Check files against the receipts of their transfers."
    package static let synopsis = ["[OPTION…] ID…"]
    package static let discussion = """
        Reads the file that a transfer has sent or fetched, and compares its size and SHA-256 with those of the receipt:
        computed at the hand-over (--sha256), given with --checksum, or stated by the server. 'offstage show --receipt' shows
        them. Without any SHA-256 on the receipt, nothing is proven, and the exit status is 1.
        """
    package static let options = [
        CommandOption(
            "--file",
            value: "FILE",
            kind: .file,
            help: "compare this file, as when it was moved or fetched back"
        )
    ]
    package static let operands = OperandKind.transfers
    package static let examples = [
        CommandExample("offstage verify 7", "whether the file of transfer 7 is still the one that was sent"),
        CommandExample("offstage verify 7 --file copy.tar", "whether copy.tar has the same content"),
    ]

    let ids: [TransferID]
    let file: String?

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        file = arguments.takeValue("--file")
        ids = try IDArguments.parse(arguments.takeOperands())
        guard !ids.isEmpty else { throw UsageError("name a transfer's number; 'offstage list' shows them") }
        guard file == nil || ids.count == 1 else { throw UsageError("--file is compared with one transfer") }
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let (details, missing) = try context.connect().detailsAsFarAsThere(of: ids)
        guard !details.isEmpty || missing.isEmpty else { throw CommandFailure(Refusals.absent(missing), .notFound) }
        let named = try file.map { try context.absolute($0) }
        let findings = details.map { Finding($0, file: named) }
        if context.printsJSON {
            context.output.print(try JSONText.of(Document(transfers: findings)))
        } else {
            for finding in findings { context.output.print(finding.sentence) }
        }
        if !missing.isEmpty { context.output.complain("offstage: \(Refusals.absent(missing))") }
        return findings.allSatisfy(\.isVerified) ? (missing.isEmpty ? .success : .notFound) : .failure
    }

    struct Document: Encodable {
        let transfers: [Finding]
    }

    /// What the comparison of one file came to.
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
