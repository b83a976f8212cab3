// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
import OffstageCore

/// Sets libcurl's options before an attempt.
extension CurlAttempt {
    static let userAgent = "Offstage/0.1"
    private static let usualRedirectLimit = 20

    /// Sets all options; returns a failure if the attempt cannot begin.
    func prepare() -> TransferFailure? {
        handle.reset()
        handle.setCallbacks(self)
        if request.checksSourceFirst, let failure = body?.sourceFailure() { return failure }
        setConnection()
        setAuthentication()
        setMethod()
        setHeaders()
        // A leftover of an attempt that a crash ended.
        if let path = request.bodySpoolPath { unlink(path) }
        return setCertificates() ?? verdictFailure ?? (handle.lacksMemory ? Self.noMemory : nil)
    }

    static let noMemory = TransferFailure(.daemonInterrupted, "there is not enough memory for the request")

    private var verdictFailure: TransferFailure? {
        if case .failed(let failure)? = verdict { failure } else { nil }
    }

    /// Gives libcurl the header lines. If memory is short, the attempt is broken off: without all of them it would be a
    /// different request.
    func setHeaders() {
        let lines = HeaderLines(
            after: trail,
            withholdsCookies: handle.keepsCookies,
            asksForGoAhead: isUpload && asksForGoAhead
        )
        if !handle.setHeaders(lines.lines(of: request)) { refuse(Self.noMemory) }
        guard handle.keepsCookies else { return }
        // In one field together with libcurl's cookies, as RFC 6265 requires (section 5.4).
        let own = trail.ownCookies(in: request.spec.headers)
        if own.isEmpty { handle.unset(CURLOPT_COOKIE) } else { handle.set(CURLOPT_COOKIE, own.joined(separator: "; ")) }
    }

    var redirectLimit: Int {
        let own = request.spec.connection?.mostRedirects ?? Self.usualRedirectLimit
        return min(max(0, own), ConnectionOptions.mostRedirectsAllowed)
    }

    private func setConnection() {
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
        handle.set(CURLOPT_MAXREDIRS, redirectLimit)
        // Over one connection of HTTP/2, pieces would share what a server allows for a connection, and the first
        // request would continue to use it although it ends early.
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
        // If it is not set, libcurl sends no User-Agent.
        if spec.connection?.hasNoUserAgent != true { handle.set(CURLOPT_USERAGENT, Self.userAgent) }
        let buffers = BufferSizes(isUpload: isUpload, isLarge: request.usesLargeBuffers)
        handle.set(CURLOPT_BUFFERSIZE, buffers.receive)
        if isUpload { handle.set(CURLOPT_UPLOAD_BUFFERSIZE, buffers.send) }
        setProxy(forScheme: spec.url.scheme)
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
        if let places = spec.connection?.connectTo, !handle.setConnectTo(places) { refuse(Self.noMemory) }
    }

    /// Sets the proxy. The daemon's own environment never counts: an empty proxy keeps libcurl from reading it.
    func setProxy(forScheme scheme: String) {
        trail.proxy = request.spec.proxy.proxy(forScheme: scheme)
        handle.set(CURLOPT_PROXY, trail.proxy ?? "")
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

    private func setCertificates() -> TransferFailure? {
        if let key = request.spec.pinnedKey, !PinnedKey.isSound(key) {
            return .init(.certificateRejected, "the pinned key of \(request.spec.url.hostKey) is not a SHA-256")
        }
        setTrust(isOrigin: true)
        if asksOwner, request.spec.pinnedKey == nil {
            let certificates = certificates ?? ServerCertificates()
            self.certificates = certificates
            certificates.watch(handle)
        }
        if let problem = request.spec.connection.flatMap(AuthorityFile.problem(of:)) { return problem }
        guard let path = request.spec.certificateAuthorityPath else { return nil }
        if let problem = AuthorityFile.problem(at: path) { return problem }
        handle.set(CURLOPT_CAINFO, path)
        return nil
    }

    /// Whether the body waits for the server's 100 (Continue).
    var asksForGoAhead: Bool {
        request.expectsGoAhead && turn.goAheads.isWorthAsking(request.spec.url.hostKey, length: bodySize)
    }
}
