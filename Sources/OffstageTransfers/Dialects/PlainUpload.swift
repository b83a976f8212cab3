// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// An upload in one request, as its owner described it: a file or a form. Its answer is the transfer's.
package struct PlainUpload: UploadDialect {
    package static let name = "plain"

    private let request: DialectRequest
    private var answer: Answer?

    package init(_ spec: TransferSpec, memory: [UInt8]?, now: Moment) throws(RequestError) {
        guard let body = spec.body else { throw .invalidValue("A download is not sent") }
        var spec = spec
        spec.setContentTypeOfForm()
        request = DialectRequest(
            method: spec.method,
            url: spec.url,
            headers: spec.headers,
            body: body,
            sourceOffset: 0
        )
    }

    package mutating func next(now: Moment) -> DialectStep { answer.map { .finish($0) } ?? .send(request) }

    package mutating func answered(_ answer: Answer, now: Moment) { self.answer = answer }
}
