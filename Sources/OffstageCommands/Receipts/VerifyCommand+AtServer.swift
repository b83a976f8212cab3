// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// Verifies files and objects at their server.
extension VerifyCommand.Finding {
    /// In seconds. The daemon asks the server, and possibly for a token or key as well, and gives up before that.
    private static let patience = 120.0

    /// Asks a transfer's server about the current state of the file.
    init(_ detail: TransferDetail, askingBy connection: DaemonConnection) {
        let (evidence, sentence) = Self.ask(detail, connection)
        self.init(detail, path: detail.row.url, provenBy: evidence, sentence)
    }

    private static func ask(
        _ detail: TransferDetail,
        _ connection: DaemonConnection
    ) -> (TransferReceipt.Evidence?, String) {
        guard let receipt = detail.receipt else {
            return (nil, "it has no receipt: \(ReceiptText.absence(of: detail.row)).")
        }
        do throws(OffstageError) {
            let object = try connection.send(CheckObject(id: detail.row.id), within: patience).object
            let url = detail.row.url.redactedControls
            let name = object?.place.map { "\(url), now at \($0.redactedControls)," } ?? url
            let finding = receipt.compared(with: object)
            let evidence: TransferReceipt.Evidence? = if case .same(let evidence) = finding { evidence } else { nil }
            return (evidence, sentence(finding, receipt, name, statesSize: object?.size != nil))
        } catch {
            return (nil, error.description.redactedControls)
        }
    }

    /// Describes the proof that the server has the transferred content.
    ///
    /// - Parameters:
    ///   - evidence: the evidence.
    ///   - receipt: the transfer's receipt.
    ///   - statesSize: whether the server has reported the length, which a digest of the same content implies as well.
    /// - Returns: the end of a sentence.
    private static func words(
        _ evidence: TransferReceipt.Evidence,
        _ receipt: TransferReceipt,
        statesSize: Bool
    ) -> String {
        let bytes = "\(receipt.bytes) bytes"
        let size = statesSize ? bytes : "length not stated"
        return switch evidence {
        case .sha256: "is what was transferred: \(bytes), by its SHA-256"
        case .crc32c: "is what was transferred: \(bytes), by its CRC32C, which detects accidents, but not forgery"
        case .version: "is the version that was transferred: \(size), and no digest was compared"
        case .entityTag: "is the object of the transfer: \(size), by its ETag"
        case .lastModified: "has not changed since, according to its server: \(size), and the same Last-Modified"
        }
    }

    private static func sentence(
        _ finding: TransferReceipt.Finding,
        _ receipt: TransferReceipt,
        _ name: String,
        statesSize: Bool
    ) -> String {
        let advice = "Fetch it, and compare it with --file."
        let other = "is another object, or the same content stored again"
        return switch finding {
        case .same(let evidence): "\(name) \(words(evidence, receipt, statesSize: statesSize))."
        case .missing: "its server says that there is nothing at \(name) any more."
        case .otherSize(let size): "\(name) has \(size) bytes now, and \(receipt.bytes) were transferred."
        case .otherDigest(let now, let before):
            "\(name) is not what was transferred: its SHA-256 is \(now), not \(before.sha256)."
        case .otherParts(let now, let before):
            "\(name) \(other), in other parts: the SHA-256 of the digests of its parts is \(now), not \(before.sha256). \(advice)"
        case .otherChecksum(let before, let now):
            "\(name) is not what was transferred: its CRC32C is \(now.text), not \(before.text)."
        case .otherVersion(let before, let now): "\(name) \(other): its version is \(now), not \(before). \(advice)"
        case .otherTag(let before, let now): "\(name) \(other): its ETag is \(now), not \(before). \(advice)"
        case .otherDate(let before, let now):
            "\(name) has been stored again since: its Last-Modified is \(now), not \(before). \(advice)"
        case .alike(.length):
            "nothing is proven: \(name) has the \(receipt.bytes) bytes that were transferred, and nothing else can be compared. \(advice)"
        case .alike(.weakTag):
            "nothing is proven: \(name) has the \(receipt.bytes) bytes that were transferred and the same weak ETag, which other content may have. \(advice)"
        case .alike(.nothing):
            "nothing is proven: the server states nothing about \(name) that the receipt also has. \(advice)"
        }
    }
}
