// SPDX-License-Identifier: Apache-2.0
import CCurl
import OffstageCore

/// Chooses the version of HTTP for the request.
///
/// libcurl reports an HTTP/2 stream that was reset without an error as ended, so the only mark of the body's end is its
/// length.
extension CurlAttempt {
    var usesOnlyOneOne: Bool { request.hasOwnConnection || manner.version == .oneOne }

    /// Whether the end of the file that follows a head would prove nothing, while HTTP/1.1 has not been tried yet.
    ///
    /// A request that may change something is not repeated for this reason.
    func missesMark(_ head: ResponseHead) -> Bool {
        let version = response.head.httpVersion
        return manner.version == .any && request.spec.method == "GET" && !hasNoBody
            && (200..<300).contains(head.status) && ResponseHead.hasStreams(version) && !head.marksEnd(over: version)
    }

    /// Breaks off an answer whose end would prove nothing, so that the request is sent again.
    func breakOffUnmarked() {
        guard verdict == nil else { return }
        manner.missMark()
        refuse(.init(.connectionLost, "\(serverName) does not say where the file ends"))
    }

    /// The versions for sending the request again at once; nil if its end counts.
    func otherVersion(after code: CURLcode) -> RequestManner.Version? {
        let isUnsent = handle.offset(of: CURLINFO_PRETRANSFER_TIME_T) == 0
        return manner.versionAfter(
            code: Int(clamping: code.rawValue),
            status: response.head.status,
            isUpload: isUpload,
            isRepeatable: isUnsent || (isUpload ? request.sendsBodyAgain : request.spec.method == "GET")
        )
    }

    /// Remembers a stream that broke before its answer, for the next attempt.
    func recordBrokenStream(_ code: CURLcode) {
        let isAnswered = response.head.isComplete && response.head.status >= 200
        guard request.spec.url.scheme == "https",
            manner.avoidsStreams(after: Int(clamping: code.rawValue), isAnswered: isAnswered)
        else { return }
        turn.brokenStreams.record(request.key)
    }
}
