// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// An upload of a file or a form in one request, as its owner described it. The server's answer is the transfer's.
///
/// If existing files must be left alone, the server is first asked whether the file exists. If a file came from a
/// directory and the server lacks the folder, the folder is made and the file sent once more. Only one fact is
/// remembered: that the file did not exist. If it exists later, it may be the beginning of this file, from a broken
/// attempt.
package struct PlainUpload: UploadDialect {
    package static let name = "plain"

    private let spec: TransferSpec
    private let request: DialectRequest
    private var making: CollectionMaking?
    /// Whether the server has been asked about the URL and has not answered yet.
    private var isAsking = false
    /// Whether the server has reported that nothing is at the URL.
    private var isKnownMissing = false
    private var step: DialectStep

    package init(_ spec: TransferSpec, memory: [UInt8]?, now: Moment) throws(RequestError) {
        guard let body = spec.body else { throw .invalidValue("A download is not sent") }
        var spec = spec
        spec.setContentTypeOfForm()
        var request = DialectRequest(
            method: spec.method,
            url: spec.url,
            headers: spec.headers,
            body: body,
            sourceOffset: 0
        )
        request.isOwners = true
        self.request = request
        self.spec = spec
        step = .send(request)
        isKnownMissing = memory?.isEmpty == false
        guard spec.skipsExisting == true, !isKnownMissing else { return }
        isAsking = true
        step = .send(aside("HEAD", spec.url))
    }

    package var isResumable: Bool { false }

    package var memory: [UInt8]? { isKnownMissing ? [1] : nil }

    package mutating func next(now: Moment) -> DialectStep { step }

    package mutating func answered(_ answer: Answer, lane: Int, now: Moment) {
        if isAsking { return answeredExistence(answer) }
        let isOfFile = step == .send(request)
        if !isOfFile, let next = making?.answered(answer) {
            step = self.step(next)
        } else if isOfFile, making == nil, let making = CollectionMaking(spec, refusal: answer) {
            self.making = making
            step = self.step(making.first)
        } else {
            step = .finish(answer)
        }
    }

    /// Handles the server's answer to whether the file exists (HEAD, RFC 9110, section 9.3.2).
    private mutating func answeredExistence(_ answer: Answer) {
        isAsking = false
        switch answer.status {
        case 200..<300:
            var answer = answer
            answer.saysThere = true
            step = .finish(answer)
        case 404, 410:
            isKnownMissing = true
            step = .send(request)
        // The redirect may lead to a login page instead of a file of this name.
        case 300..<400:
            let words = "the server redirects the check whether \(spec.url) exists (\(answer.status))"
            step = .fail(.init(.httpStatus, "\(words): use the URL that it redirects to"))
        case 405, 501:
            let words = "the server does not say whether \(spec.url) exists (\(answer.status) to HEAD)"
            step = .fail(.init(.httpStatus, "\(words): leave out --skip-existing"))
        // Temporary failures and requests for credentials are decided as for the file.
        default: step = .finish(answer)
        }
    }

    private func step(_ next: CollectionMaking.Step) -> DialectStep {
        switch next {
        case .make(let url):
            .send(aside("MKCOL", url))
        case .sendAgain: .send(request)
        case .finish(let answer): .finish(answer)
        case .fail(let failure): .fail(failure)
        }
    }

    /// A request without the file.
    private func aside(_ method: String, _ url: RequestURL) -> DialectRequest {
        var request = DialectRequest(method: method, url: url, headers: headersOfFolder, provesBody: true)
        request.isOwners = true
        return request
    }

    /// The upload's headers, without those that describe the file.
    private var headersOfFolder: [HeaderField] {
        spec.headers.filter { field in
            let name = field.name.lowercased()
            return !["content-", "if-"].contains(where: name.hasPrefix) && name != "expect" && name != "idempotency-key"
        }
    }
}
