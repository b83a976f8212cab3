// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageClient
import OffstageCore
import OffstageProtocol

/// `offstage verify ID…` compares files, here or at their servers, with the receipts of their transfers.
package struct VerifyCommand: Command {
    package static let path = ["verify"]
    package static let summary = "Check files, or what their servers have, against the receipts of their transfers."
    package static let synopsis = ["[OPTION…] ID…"]
    package static let discussion = """
        Reads the file that a transfer has sent or fetched, and compares its size and digests with those of the receipt:
        computed at the hand-over (--sha256), given with --checksum, or stated by the server. 'offstage show --receipt' shows
        them. Without any digest on the receipt, nothing is proven, and the exit status is 1.

        With --at-server, no file is read: the server is asked what it has now, without fetching the file. The receipt is
        compared with the size and with what the server states about the content: a SHA-256 or CRC32C, as S3, Dropbox and
        Google do, or Repr-Digest; otherwise its version, its ETag or, for a download, its date. Each answer says what proves
        it; if only the length is the same, nothing is proven, and the exit status is 1.
        """
    package static let options = [
        CommandOption(
            "--file",
            value: "FILE",
            kind: .file,
            help: "compare this file, for example after it was moved or fetched back"
        ),
        CommandOption("--at-server", help: "compare what the server has now, without fetching it"),
    ]
    package static let operands = OperandKind.transfers
    package static let examples = [
        CommandExample("offstage verify 7", "whether the file of transfer 7 is still the one that was sent"),
        CommandExample("offstage verify 7 --file copy.tar", "whether copy.tar has the same content"),
        CommandExample(
            "offstage verify --at-server 7",
            "whether its server still has what was sent, or fetched"
        ),
    ]

    let ids: [TransferID]
    let file: String?
    let isAtServer: Bool

    package init(_ arguments: inout ArgumentCursor) throws(UsageError) {
        file = arguments.takeValue("--file")
        isAtServer = arguments.takeFlag("--at-server")
        ids = try IDArguments.parse(arguments.takeOperands())
        guard !ids.isEmpty else { throw UsageError("name a transfer's number; 'offstage list' shows them") }
        guard file == nil || ids.count == 1 else { throw UsageError("--file is compared with one transfer") }
        guard file == nil || !isAtServer else {
            throw UsageError("--at-server compares what the server has, and --file a file here: give one of them")
        }
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        let connection = try context.connect()
        let (details, missing) = try connection.detailsAsFarAsThere(of: ids)
        guard !details.isEmpty || missing.isEmpty else { throw CommandFailure(Refusals.absent(missing), .notFound) }
        let named = try file.map { try context.absolute($0) }
        let findings = details.map {
            isAtServer ? Finding($0, askingBy: connection) : Finding($0, file: named)
        }
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
}
