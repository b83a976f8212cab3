// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What the server of a dialect states about a file, beyond HTTP: with its answer to the transfer, and whenever it is
/// asked.
protocol DialectEvidence {
    /// What the answer to an upload proves about its file.
    static func proof(of transfer: Transfer, _ source: TransferSpec.UploadSource, _ answer: Answer) -> UploadProof

    /// The inquiry to the server about the file that it has now; `stored` reads its answer.
    ///
    /// - Throws: `RequestError` if it cannot be asked.
    static func inquiry(
        about transfer: Transfer,
        by way: TokenRequest.Way
    ) throws(RequestError) -> any ServerInquiry

    /// The file as the server describes it now; nil if it does not.
    static func stored(_ answer: Answer, of transfer: Transfer) -> StoredObject?
}

extension DialectEvidence {
    /// For a server whose answer states no more than plain HTTP.
    static func proof(of transfer: Transfer, _ source: TransferSpec.UploadSource, _ answer: Answer) -> UploadProof {
        UploadProof(ofHTTP: transfer, answer)
    }
}

/// A dialect with its own evidence.
protocol EvidentDialect {
    static var evidence: any DialectEvidence.Type { get }
}
