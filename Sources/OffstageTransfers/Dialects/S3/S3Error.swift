// SPDX-License-Identifier: Apache-2.0
import CCurl
import OffstageCore

/// A refusal by an S3 endpoint.
struct S3Error: Sendable {
    let status: Int
    /// The code, such as `NoSuchUpload`; empty if the answer has none.
    let code: String
    /// The server's message, for people; nil if there is none.
    let message: String?
    /// The bucket's region; nil if the answer does not state it.
    let region: String?
    /// Seconds since 1970 by the server's clock; nil if unknown.
    let serverTime: Double?
    let answer: Answer

    /// How many characters of a message are shown.
    private static let longestMessage = 200

    init(_ answer: Answer) { self.init(answer, root: XMLElement.root(of: answer.bodyStart)) }

    /// - Parameters:
    ///   - answer: the refusal.
    ///   - root: its body, as `XMLElement.root` has parsed it.
    init(_ answer: Answer, root: XMLElement?) {
        self.answer = answer
        status = answer.status
        let error = root?.name == "Error" ? root : nil
        let name = error?.value("Code") ?? answer.headers["x-minio-error-code"] ?? ""
        code = Self.isWord(name) ? name : ""
        message = error?.value("Message").flatMap {
            $0.isEmpty ? nil : String($0.prefix(Self.longestMessage)).redactedControls
        }
        let region = answer.headers["x-amz-bucket-region"] ?? error?.value("Region")
        self.region = region.flatMap { S3Endpoint.isRegion($0) ? $0 : nil }
        let seconds = answer.headers["Date"].map { curl_getdate($0, nil) } ?? -1
        serverTime = seconds > 0 ? Double(seconds) : nil
    }

    private static func isWord(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.utf8.allSatisfy { PercentEncoding.isUnreserved($0) }
    }

    /// The error, for sentences: "403 Forbidden (AccessDenied)".
    var words: String {
        code.isEmpty ? StatusText.of(status) : "\(StatusText.of(status)) (\(code))"
    }

    /// Whether the same request may be accepted later.
    var passes: Bool {
        switch code {
        case "SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout", "OperationAborted", "Busy",
            "TooManyRequests", "ThrottlingException", "Throttling", "RequestLimitExceeded":
            true
        case "NotImplemented", "XMinioStorageFull": false
        default: TransferFailure.passes(status) && status != 501 && status != 507
        }
    }

    /// Whether the bucket is in a different region than the request was signed for. The answer to HEAD has no code.
    var saysElsewhere: Bool {
        switch code {
        case "PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed",
            "IllegalLocationConstraintException":
            true
        default: (300..<400).contains(status) || status == 400 && code.isEmpty
        }
    }

    /// What is wrong with the key; nil if that is not the problem.
    var keyProblem: KeyProblem? {
        switch code {
        case "ExpiredToken", "TokenRefreshRequired", "ExpiredTokenException", "RequestExpired": .expired
        case "InvalidAccessKeyId", "InvalidToken", "InvalidClientTokenId": .unknown
        case "SignatureDoesNotMatch": .wrongSecret
        default: nil
        }
    }

    enum KeyProblem: Sendable { case expired, unknown, wrongSecret }
}
