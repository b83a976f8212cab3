// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore

/// A download from S3: each request is signed when it is made
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html).
package struct S3Download: DownloadDialect {
    package static let name = S3Object.dialect

    private let object: S3Object
    /// The owner's range.
    private let headers: [HeaderField]
    private let ownURL: RequestURL
    /// Whether the object's head is requested first: an owner who wants more connections than usual expects a large
    /// object. For a small one that would cost a round trip.
    private let inquires: Bool
    private var signer: S3Signer
    /// What the request of each lane was signed with.
    private var marks: [Int: S3Signer.Mark] = [:]

    package init(_ spec: TransferSpec) throws(RequestError) {
        guard let dialect = spec.dialect, !spec.isUpload else {
            throw .invalidValue("An S3 download fetches one object into one file: hand over each one separately")
        }
        object = try S3Object(dialect)
        ownURL = try object.url()
        headers = spec.headers.filter { $0.name.caseInsensitiveEquals("Range") }
        inquires = spec.connection?.connections ?? 0 > S3Object.usualConnections
        signer = S3Signer(object.keys, region: object.endpoint.region)
    }

    package static func options(of spec: TransferSpec) -> String? {
        guard let dialect = spec.dialect, let object = try? S3Object(dialect) else { return nil }
        return object.summary.joined(separator: ", ")
    }

    package static func account(of spec: TransferSpec) throws(RequestError) -> String? {
        try spec.dialect.map { dialect throws(RequestError) in try S3Object(dialect).account } ?? nil
    }

    package static func settled(_ spec: TransferSpec, for account: Account?) throws(RequestError) -> TransferSpec {
        var spec = spec
        if let account, let dialect = spec.dialect {
            spec.dialect = try S3Object(dialect).at(account).dialectSpec()
        }
        spec.url = try S3Download(spec).ownURL
        spec.method = "GET"
        return spec
    }

    package var tokenPlaces: [String] { [url.origin] }
    package var asksFor: CredentialSource? { signer.asksFor }
    package var rejected: String? { signer.rejected }

    package mutating func authorized(_ token: GrantedToken) { signer.authorized(token) }

    private var url: RequestURL {
        guard signer.region != object.endpoint.region else { return ownURL }
        return (try? object.endpoint.url(of: object.location, in: signer.region)) ?? ownURL
    }

    /// Requests a digest of the whole object, if one was stored with it.
    static let checksumMode = HeaderField(name: "x-amz-checksum-mode", value: "ENABLED")

    /// A request for the head: a piece has no digest of the whole object, and a request for all of it would be broken
    /// off where the next piece begins.
    package mutating func inquiry(now: Moment) -> DialectRequest? {
        inquires ? request("HEAD", lane: 0, now: now) : nil
    }

    package mutating func request(lane: Int, now: Moment) -> DialectRequest { request("GET", lane: lane, now: now) }

    private mutating func request(_ method: String, lane: Int, now: Moment) -> DialectRequest {
        var request = DialectRequest(lane: lane, method: method, url: url, headers: headers + [Self.checksumMode])
        request.usesCredentials = request.url.hasOrigin(of: ownURL)
        guard let (signing, mark) = signer.signing(at: now) else { return request }
        marks[lane] = mark
        request.sign(bodyHash: SignatureV4.hashOfNothing, signing)
        return request
    }

    package func shown(_ answer: Answer, lane: Int) -> Answer { marks[lane]?.hide(answer) ?? answer }

    package mutating func answered(_ answer: Answer, lane: Int, now: Moment) -> DownloadVerdict {
        guard let mark = marks.removeValue(forKey: lane) else { return .counts }
        guard !(200..<300).contains(answer.status) else {
            signer.accepted(mark)
            return .counts
        }
        let error = S3Error(mark.hide(answer))
        switch signer.refused(error, mark, by: url.hostKey, now: now) {
        case .signAgain: return .ask
        case .final(let failure): return .fail(failure)
        case .other: break
        }
        if error.passes {
            var failure = TransferFailure.passing(answer, to: object.location.text)
            failure.detail = "\(url.hostKey) answered \(error.words) to the download of \(object.location.text)"
            return .fail(failure)
        }
        // 412: the object no longer has the validator of the first answer.
        return answer.status == 412 ? .beginAgain : .fail(refusal(error))
    }

    /// The failure for a final refusal.
    private func refusal(_ error: S3Error) -> TransferFailure {
        let (server, place) = (url.hostKey, object.location.text)
        let bucket = object.location.bucket
        let said = error.message.map { ": \($0)" } ?? ""
        return switch (error.status, error.code) {
        case (_, "NoSuchBucket"):
            .init(.httpStatus, "there is no bucket '\(bucket)' at \(server)", status: error.status)
        case (404, ""):
            .init(
                .httpStatus,
                "\(server) answered 404 for \(place): it has no such object, or does not speak S3",
                status: 404
            )
        case (404, _): .init(.httpStatus, "there is no object \(place) at \(server) (\(error.code))", status: 404)
        case (_, "InvalidObjectState"):
            .init(.httpStatus, "\(place) is archived (InvalidObjectState): restore it first", status: error.status)
        case (403, _):
            .init(
                .accessKeyRefused,
                "\(object.keys.words) may not read \(place) (\(error.words)), or there is no such object and it may not list the bucket",
                status: 403
            )
        case _ where error.saysElsewhere:
            .init(
                .badServerResponse,
                "\(server) says that the bucket is elsewhere (\(error.words)): hand it over again with the bucket's own --endpoint-url and --region\(error.region.map { ", which is \($0)" } ?? "")"
            )
        default:
            .init(
                .httpStatus,
                "\(server) answered \(error.words) to the download of \(place)\(said)",
                status: error.status
            )
        }
    }
}
