// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore

/// One inquiry to an S3 endpoint. It is signed, and repeated, by the rules of transfers (`S3Signer`).
package struct S3Inquiry: ServerInquiry {
    package enum Question: Sendable, Hashable {
        /// Whether the endpoint knows the key (ListBuckets).
        case key
        /// A page of the multipart uploads that are open in a bucket (ListMultipartUploads).
        case openUploads(bucket: String, prefix: String, after: S3UploadMarker?)
        /// Makes the server forget an open upload (AbortMultipartUpload).
        case abort(S3Location, upload: String)
        /// The server's description of an object (HeadObject).
        case object(S3Location)

        fileprivate var method: String {
            switch self {
            case .key, .openUploads: "GET"
            case .abort: "DELETE"
            case .object: "HEAD"
            }
        }
    }

    /// The usual number of uploads per page.
    package static let usualPage = 200

    private let question: Question
    private let endpoint: S3Endpoint
    private let keys: CredentialSource
    private let way: TokenRequest.Way
    private var signer: S3Signer
    private var mark: S3Signer.Mark?
    private var patience = InquiryPatience()
    private var end: InquiryStep?

    /// - Parameters:
    ///   - question: the question to ask.
    ///   - endpoint: the server.
    ///   - keys: the source of the key that signs.
    ///   - way: the proxies and certificate authorities to use.
    package init(_ question: Question, at endpoint: S3Endpoint, keys: CredentialSource, by way: TokenRequest.Way) {
        self.question = question
        self.endpoint = endpoint
        self.keys = keys
        self.way = way
        signer = S3Signer(keys, region: endpoint.region)
    }

    package mutating func authorized(_ token: GrantedToken) { signer.authorized(token) }

    package mutating func next(now: Moment) -> InquiryStep {
        if let end { return end }
        do throws(RequestError) {
            let url = try url()
            if let refusal = patience.refusal(of: url.hostKey, now: now) { return .fail(refusal) }
            guard let (signing, mark) = signer.signing(at: now) else {
                return .authorize(keys, rejecting: signer.rejected, places: [url.origin])
            }
            self.mark = mark
            var request = DialectRequest(method: question.method, url: url, headers: [])
            if case .object = question { request.headers.append(S3Download.checksumMode) }
            request.sign(bodyHash: SignatureV4.hashOfNothing, signing)
            return .send(try TokenRequest(url.unredacted, .signed(method: question.method, request.headers), by: way))
        } catch {
            return .fail(.init(.badServerResponse, String(error.sentence.dropLast())))
        }
    }

    package mutating func answered(_ answer: TokenAnswer, now: Moment) {
        guard let mark else { return }
        self.mark = nil
        let answer = mark.hide(answer)
        guard !(200..<300).contains(answer.status) else {
            signer.accepted(mark)
            end = .finish(answer)
            return
        }
        if case .object = question, answer.status == 404 {
            end = .finish(answer)
            return
        }
        let error = S3Error(Answer(answer))
        let server = (try? url().hostKey) ?? endpoint.server
        switch signer.refused(error, mark, by: server, now: now) {
        case .signAgain: return
        case .final(let failure): end = .fail(failure)
        case .other: end = .fail(refusal(error, server))
        }
    }

    private func refusal(_ error: S3Error, _ server: String) -> TransferFailure {
        let said = error.message.map { ": \($0)" } ?? ""
        let bucket: String
        var object: S3Location?
        switch question {
        case .key: bucket = ""
        case .openUploads(let name, _, _): bucket = name
        case .abort(let location, _): bucket = location.bucket
        case .object(let location):
            bucket = location.bucket
            object = location
        }
        if let object, let failure = refusal(error, of: object, server) { return failure }
        return switch (error.status, error.code) {
        case (_, "NoSuchBucket"):
            .init(.httpStatus, "there is no bucket '\(bucket)' at \(server)", status: error.status)
        case (_, "NoSuchUpload"): .init(.httpStatus, "\(server) no longer knows that upload", status: error.status)
        case (403, _):
            .init(.accessKeyRefused, "\(keys.words) may not do that at \(server) (\(error.words))", status: 403)
        default: .init(.httpStatus, "\(server) answered \(error.words)\(said)", status: error.status)
        }
    }

    /// The failure for a refusal to describe an object. S3 does not state the reason in an answer to HEAD.
    private func refusal(_ error: S3Error, of object: S3Location, _ server: String) -> TransferFailure? {
        switch (error.status, error.code) {
        case (403, _):
            .init(
                .accessKeyRefused,
                "\(keys.words) may not read \(object.text) at \(server) (\(error.words)), or there is no such object and it may not list the bucket",
                status: 403
            )
        case (400, ""):
            .init(
                .httpStatus,
                "\(server) answered \(error.words) without saying why: the key of \(keys.words) may have expired",
                status: 400
            )
        default: nil
        }
    }

    // MARK: - URLs

    private func url() throws(RequestError) -> RequestURL {
        let region = signer.region
        let here = S3Endpoint(base: endpoint.base, region: region)
        switch question {
        case .key: return try here.serviceURL()
        case .openUploads(let bucket, let prefix, let marker):
            var query = [("encoding-type", "url")]
            if let marker { query.append(("key-marker", marker.key)) }
            query.append(("max-uploads", String(Self.usualPage)))
            if !prefix.isEmpty { query.append(("prefix", prefix)) }
            if let marker, !marker.upload.isEmpty { query.append(("upload-id-marker", marker.upload)) }
            query.append(("uploads", ""))
            return try Self.adding(query, to: here.url(of: S3Location(bucket: bucket, key: "")))
        case .abort(let location, let upload):
            return try Self.adding([("uploadId", upload)], to: here.url(of: location))
        case .object(let location): return try here.url(of: location)
        }
    }

    /// `query` consists of names and values, sorted by name.
    private static func adding(
        _ query: [(String, String)],
        to url: RequestURL
    ) throws(RequestError) -> RequestURL {
        let text = query.map { "\(PercentEncoding.encoded($0))=\(PercentEncoding.encoded($1))" }.joined(separator: "&")
        return try RequestURL("\(url.unredacted)?\(text)")
    }
}
