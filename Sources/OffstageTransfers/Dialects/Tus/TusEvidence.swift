// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A tus server keeps the file at a URL of its choice, which the receipt names, for as long as it likes.
enum TusEvidence: DialectEvidence {
    static func inquiry(
        about transfer: Transfer,
        by way: TokenRequest.Way
    ) throws(RequestError) -> any ServerInquiry {
        guard case .upload(let source) = transfer.spec.direction,
            let upload = TusMemory(transfer.dialectMemory, source: source.identity)?.upload
        else { throw .invalidValue("It is not known where the tus server keeps the file: it cannot be checked") }
        let version = HeaderField(name: "Tus-Resumable", value: TusRequests.version)
        return AddressInquiry(transfer.spec, at: upload.url, fields: [version], followsRedirects: false)
    }

    static func stored(_ answer: Answer, of transfer: Transfer) -> StoredObject? {
        StoredObject(size: KeptUpload.offset(answer.headers))
    }
}

extension TusUpload: EvidentDialect {
    static var evidence: any DialectEvidence.Type { TusEvidence.self }
}
