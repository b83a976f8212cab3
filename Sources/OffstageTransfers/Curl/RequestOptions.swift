// SPDX-License-Identifier: Apache-2.0
import CCurl
import OffstageCore

/// Sets the libcurl options that follow from a request alone, regardless of its course so far.
struct RequestOptions {
    let request: EngineRequest
    let handle: CurlHandle
    let isUpload: Bool
    /// The length of the body, in bytes.
    let bodySize: Int64
    let manner: RequestManner
    /// Whether the request uses only HTTP/1.1.
    let usesOnlyOneOne: Bool

    static let userAgent = "Offstage/0.1"
    private static let usualRedirectLimit = 20

    /// Sets the options.
    ///
    /// - Returns: false if memory is short.
    func set() -> Bool {
        setAuthentication()
        setMethod()
        return setConnection()
    }

    /// How many redirects a request of a transfer follows.
    static func redirectLimit(of spec: TransferSpec) -> Int {
        let own = spec.connection?.mostRedirects ?? usualRedirectLimit
        return min(max(0, own), ConnectionOptions.mostRedirectsAllowed)
    }

    /// A URL without a user's name and password.
    static func withoutUser(_ url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        guard let at = rest[..<end].lastIndex(of: "@") else { return url }
        return String(url[..<scheme.upperBound]) + rest[rest.index(after: at)...]
    }

    /// - Returns: false if memory is short.
    private func setConnection() -> Bool {
        let spec = request.spec
        // The app's credentials take precedence over those in the URL; libcurl would prefer the URL's.
        let url = spec.url.unredacted
        handle.set(CURLOPT_URL, request.hasAppsCredentials ? Self.withoutUser(url) : url)
        handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        handle.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        handle.set(CURLOPT_NOSIGNAL, true)
        // An attempt that ends during name resolution abandons the resolver thread. Waiting for an unresponsive name
        // server would hold up all other transfers, since one thread runs all of them.
        handle.set(CURLOPT_QUICK_EXIT, true)
        handle.set(CURLOPT_FOLLOWLOCATION, !request.takesRedirectAsAnswer)
        handle.set(CURLOPT_MAXREDIRS, Self.redirectLimit(of: spec))
        // Over one HTTP/2 connection, pieces would share the server's allowance for a connection, and the first request
        // would continue to use it although it ends early.
        handle.set(CURLOPT_HTTP_VERSION, Int(usesOnlyOneOne ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS))
        handle.set(CURLOPT_HTTP09_ALLOWED, false)
        handle.set(CURLOPT_FRESH_CONNECT, request.needsNewConnection)
        handle.set(CURLOPT_TCP_KEEPALIVE, true)
        handle.set(
            CURLOPT_CONNECTTIMEOUT_MS,
            Int(Int32(nearest: max(1, (spec.connectTimeout ?? spec.idleTimeout) * 1000)))
        )
        handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        // `BodyDecoder` does that.
        handle.set(CURLOPT_HTTP_CONTENT_DECODING, false)
        // If this is not set, libcurl sends no User-Agent.
        if spec.connection?.hasNoUserAgent != true { handle.set(CURLOPT_USERAGENT, Self.userAgent) }
        let buffers = BufferSizes(isUpload: isUpload, isLarge: request.usesLargeBuffers)
        handle.set(CURLOPT_BUFFERSIZE, buffers.receive)
        if isUpload { handle.set(CURLOPT_UPLOAD_BUFFERSIZE, buffers.send) }
        handle.set(CURLOPT_NOPROXY, spec.proxy.none ?? "")
        if let path = spec.connection?.netrcPath {
            handle.set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
            handle.set(CURLOPT_NETRC_FILE, path)
        }
        switch spec.connection?.ipVersion {
        case 4: handle.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
        case 6: handle.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
        default: break
        }
        if spec.connection?.needsTLS13 == true { handle.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_3) }
        return spec.connection?.connectTo.map(handle.setConnectTo) ?? true
    }

    private func setAuthentication() {
        guard let credentials = request.spec.credentials else { return }
        // Basic goes out with the first request, as with curl's --user; leaving the choice to libcurl would cost every
        // attempt a round trip. A server that requires Digest gets it in a second request.
        handle.set(
            CURLOPT_HTTPAUTH,
            manner.authentication == .basic ? offstage_curl_auth_basic : offstage_curl_auth_digest
        )
        handle.set(CURLOPT_USERNAME, credentials.user)
        handle.set(CURLOPT_PASSWORD, credentials.password)
    }

    private func setMethod() {
        let method = request.spec.method
        if method == "HEAD", bodySize == 0 {
            handle.set(CURLOPT_NOBODY, true)
        } else if request.isPostedForm {
            // As a POST, not as an upload with another method: libcurl then follows 301 and 302 as browsers do.
            handle.set(CURLOPT_POST, true)
            handle.setOffset(CURLOPT_POSTFIELDSIZE_LARGE, bodySize)
        } else if isUpload {
            handle.set(CURLOPT_UPLOAD, true)
            handle.setOffset(CURLOPT_INFILESIZE_LARGE, bodySize)
            if method != "PUT" { handle.set(CURLOPT_CUSTOMREQUEST, method) }
        } else if method != "GET" {
            handle.set(CURLOPT_CUSTOMREQUEST, method)
        }
    }
}
