// SPDX-License-Identifier: Apache-2.0
import CCurl

/// How an attempt sends its request: the settings that change when the request is sent again.
package struct RequestManner: Sendable {
    /// How user and password are sent.
    package enum Authentication: Sendable {
        case basic, digest
    }

    /// Which versions of HTTP the request may go over.
    package enum Version: Sendable {
        /// HTTP/2 if the server supports it.
        case any
        /// HTTP/1.1, since HTTP/2 did not work.
        case oneOne
        /// HTTP/2 again, for the last time, since the server does not accept the request over HTTP/1.1.
        case anyAfterAll
    }

    package var authentication = Authentication.basic
    package private(set) var version = Version.any
    /// Whether an answer over HTTP/2 was broken off because the end of its body would prove nothing.
    package private(set) var lacksMark = false

    package init() {}

    /// Sends the request over other versions from now on.
    package mutating func use(_ version: Version) {
        self.version = version
        lacksMark = false
    }

    /// Records that an answer was broken off: over HTTP/1.1, the end of its body proves that it is whole.
    package mutating func missMark() { lacksMark = true }

    /// Decides whether to send a finished request again at once, over other versions. That happens at most twice.
    ///
    /// - Parameters:
    ///   - code: libcurl's code.
    ///   - status: the status of the last response; 0 for none.
    ///   - isUpload: whether the request has a body; a server may then have refused the body, not the version.
    ///   - isRepeatable: whether the request may reach the server twice, or has not reached it.
    /// - Returns: the versions; nil if the request's end counts.
    package func versionAfter(code: Int, status: Int, isUpload: Bool, isRepeatable: Bool) -> Version? {
        switch version {
        case .any: lacksMark ? .oneOne : nil
        case .oneOne: isRepeatable && Self.isRefusal(code, status, isUpload: isUpload) ? .anyAfterAll : nil
        case .anyAfterAll: nil
        }
    }

    /// Whether the transfer's next attempt should use HTTP/1.1: a stream ended before its answer. A server that refuses
    /// an upload may end the stream right after its answer, which libcurl then does not report.
    ///
    /// - Parameters:
    ///   - code: libcurl's code.
    ///   - isAnswered: whether the head of a final response has arrived.
    /// - Returns: whether it should.
    package func avoidsStreams(after code: Int, isAnswered: Bool) -> Bool {
        guard version != .oneOne, !isAnswered else { return false }
        switch CURLcode(rawValue: UInt32(clamping: code)) {
        case CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_GOT_NOTHING: return true
        default: return false
        }
    }

    /// Whether a server may support only HTTP/2: it ends the handshake, answers with frames, or states that.
    private static func isRefusal(_ code: Int, _ status: Int, isUpload: Bool) -> Bool {
        switch CURLcode(rawValue: UInt32(clamping: code)) {
        case CURLE_SSL_CONNECT_ERROR: true
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: status == 0
        case CURLE_OK: !isUpload && [400, 403, 421, 426, 505].contains(status)
        default: false
        }
    }
}
