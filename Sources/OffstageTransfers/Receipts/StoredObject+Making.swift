// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

extension StoredObject {
    /// The file as the server of a transfer describes it now (`StoredObjectInquiry`); nil if there is none.
    package init?(_ answer: TokenAnswer, of transfer: Transfer) {
        guard (200..<300).contains(answer.status) else { return nil }
        let url = answer.url
        let answer = Answer(answer)
        guard let evidence = Dialects.evidence(of: transfer.spec) else {
            self.init(ofHTTP: answer, at: url, transfer)
            return
        }
        guard let stored = evidence.stored(answer, of: transfer) else { return nil }
        self = stored
    }

    /// The answer to HEAD. Its length and digest describe the file only if both have the same content coding. If the
    /// coding differs from the transfer's, so does the ETag, which then reveals nothing.
    ///
    /// If redirects lead elsewhere than the transfer's, the answer may describe something else, such as a sign-in page.
    private init(ofHTTP answer: Answer, at url: RequestURL?, _ transfer: Transfer) {
        let (spec, redactor) = (transfer.spec, transfer.spec.secretRedactor)
        let head = ResponseHead(status: answer.status, headers: answer.headers)
        let coding = Self.coding(answer.headers)
        let isWhole = !spec.hasOwnRange && coding == Self.coding(of: transfer)
        let tag = answer.headers["ETag"]
        let isTagged = coding == Self.codingSent(of: transfer) || tag == transfer.outcome?.answer?.headers["ETag"]
        let stated = Checksum(statedIn: answer.headers) ?? Checksum(statedInDigest: answer.headers)
        self.init(
            size: isWhole ? Self.size(head) : nil,
            digest: isWhole ? stated.map { FileDigest($0) } : nil,
            entityTag: isTagged ? TransferReceipt.shown(tag, redactor) : nil,
            lastModified: TransferReceipt.shown(answer.headers["Last-Modified"], redactor)
        )
        let before = transfer.outcome?.answer.flatMap { try? RequestURL($0.finalURL) }
        guard let url, url.description.lowercased() != before?.description.lowercased() else { return }
        let shown = redactor.strike(url.description)
        place = shown.utf8.count <= Self.longestPlace ? shown : url.hostKey
    }

    /// The longest URL from a server that is shown, in bytes.
    private static let longestPlace = 512

    /// The size of the whole coded content in bytes; nil if the answer does not state it. A 200 states it as its
    /// length, a 206 in `Content-Range`; other answers describe something else.
    static func size(_ head: ResponseHead) -> Int64? {
        switch head.status {
        case 200: if case .bytes(let count) = head.statedLength { count } else { nil }
        case 206: head.contentRange?.total
        default: nil
        }
    }

    private static func coding(_ headers: [HeaderField]) -> String {
        headers["Content-Encoding"]?.lowercased() ?? "identity"
    }

    /// How the file was coded on its way: an upload by its owner, a download by its server.
    private static func codingSent(of transfer: Transfer) -> String {
        coding(transfer.spec.isUpload ? transfer.spec.headers : transfer.outcome?.answer?.headers ?? [])
    }

    /// How the file is coded: as on its way, unless it was decoded here.
    private static func coding(of transfer: Transfer) -> String {
        let spec = transfer.spec
        let mayDecode = !spec.isUpload && (spec.sessionTask != nil || spec.connection?.asksForCompression == true)
        guard mayDecode, let answer = transfer.outcome?.answer,
            !ResponseHead(status: answer.status, headers: answer.headers).codings.isEmpty
        else { return codingSent(of: transfer) }
        return "identity"
    }
}
