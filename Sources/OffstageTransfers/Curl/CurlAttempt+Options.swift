// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
import OffstageCore

/// Sets libcurl's options before an attempt.
extension CurlAttempt {
    static let userAgent = "Offstage/0.1"
    private static let usualRedirectLimit = 20
    private static let largeBuffer = 2_097_152
    private static let smallBuffer = 65_536
    private static let smallestBuffer = 16_384

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
        if !handle.setHeaders(headerLines()) { refuse(Self.noMemory) }
        guard handle.keepsCookies else { return }
        // In one field together with libcurl's cookies, as RFC 6265 requires (section 5.4).
        let own = trail.ownCookies(in: request.spec.headers)
        if own.isEmpty { handle.unset(CURLOPT_COOKIE) } else { handle.set(CURLOPT_COOKIE, own.joined(separator: "; ")) }
    }

    /// How many bytes libcurl reads or sends at once.
    private var bufferSize: Int {
        request.usesLargeBuffers ? Self.largeBuffer : isUpload ? Self.smallestBuffer : Self.smallBuffer
    }

    var redirectLimit: Int {
        let own = request.spec.connection?.mostRedirects ?? Self.usualRedirectLimit
        return min(max(0, own), ConnectionOptions.mostRedirectsAllowed)
    }

    private func setConnection() {
        let spec = request.spec
        // The app's credentials take precedence over those in the URL; libcurl would prefer the URL's.
        let url = spec.url.unredacted
        handle.set(CURLOPT_URL, hasAppsCredentials ? Self.withoutUser(url) : url)
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
        handle.set(CURLOPT_HTTP_VERSION, Int(request.hasOwnConnection ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS))
        handle.set(CURLOPT_HTTP09_ALLOWED, false)
        handle.set(CURLOPT_TCP_KEEPALIVE, true)
        handle.set(
            CURLOPT_CONNECTTIMEOUT_MS,
            Int(Int32(nearest: max(1, (spec.connectTimeout ?? spec.idleTimeout) * 1000)))
        )
        handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        handle.set(CURLOPT_HTTP_CONTENT_DECODING, decodesContent)
        // libcurl decodes only if it may send Accept-Encoding itself, and it sends the value set here.
        if decodesContent { handle.set(CURLOPT_ACCEPT_ENCODING, asksForCompression ? "" : "identity") }
        // If it is not set, libcurl sends no User-Agent.
        if spec.connection?.hasNoUserAgent != true { handle.set(CURLOPT_USERAGENT, Self.userAgent) }
        handle.set(CURLOPT_BUFFERSIZE, isUpload ? Self.smallestBuffer : bufferSize)
        if isUpload { handle.set(CURLOPT_UPLOAD_BUFFERSIZE, bufferSize) }
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

    /// Whether the credentials are an app's answer to a challenge.
    private var hasAppsCredentials: Bool { request.spec.sessionTask != nil && request.spec.credentials != nil }

    private func setAuthentication() {
        guard let credentials = request.spec.credentials else { return }
        // Basic goes out with the first request, as with curl's --user; leaving the choice to libcurl would cost every
        // attempt a round trip. A server that requires Digest gets it in a second request.
        handle.set(
            CURLOPT_HTTPAUTH,
            authentication == .basic ? offstage_curl_auth_basic : offstage_curl_auth_digest
        )
        handle.set(CURLOPT_USERNAME, credentials.user)
        handle.set(CURLOPT_PASSWORD, credentials.password)
    }

    private func setMethod() {
        let method = request.spec.method
        if method == "HEAD", bodySize == 0 {
            handle.set(CURLOPT_NOBODY, true)
        } else if isPostedForm {
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
        if let connection = request.spec.connection, let problem = Self.problem(of: connection) { return problem }
        guard let path = request.spec.certificateAuthorityPath else { return nil }
        if let problem = AuthorityFile.problem(at: path) { return problem }
        handle.set(CURLOPT_CAINFO, path)
        return nil
    }

    /// Why a file that libcurl would read on the engine's thread cannot be used.
    static func problem(of connection: ConnectionOptions) -> TransferFailure? {
        let files = [
            (connection.certificatePath, "client's certificate"), (connection.keyPath, "client's key"),
            (connection.netrcPath, "file of passwords"),
        ]
        for (path, what) in files {
            if let path, let problem = AuthorityFile.problem(at: path, what) { return problem }
        }
        return nil
    }

    /// Whether the body waits for the server's 100 (Continue).
    var asksForGoAhead: Bool {
        request.expectsGoAhead && turn.goAheads.isWorthAsking(request.spec.url.hostKey, length: bodySize)
    }

    /// Whether content codings are decoded, as Apple's sessions do: the app receives the file that the server meant,
    /// even if the server sends a coding that was not requested. Not in the middle of a file, and not for the command,
    /// as in curl.
    var decodesContent: Bool {
        (request.spec.sessionTask != nil || asksForCompression) && request.spec.dialect == nil && !asksForRange
    }

    private var asksForCompression: Bool { !isUpload && request.spec.connection?.asksForCompression == true }

    /// The header lines of the request, in libcurl's format.
    func headerLines() -> [String] {
        let spec = request.spec
        // A length that contradicts the body, or a range that ignores the partial file, would be false.
        var unwanted: Set<String> = ["content-length"]
        if asksForRange { unwanted.formUnion(["range", "if-range"]) }
        if hasAppsCredentials { unwanted.insert("authorization") }
        if handle.keepsCookies { unwanted.insert("cookie") }
        // Fields that describe a body that is not sent again.
        if trail.isFetchingAnswer {
            unwanted.formUnion(
                ["content-type", "content-encoding", "content-language", "content-location", "idempotency-key"]
            )
        }
        var lines: [String] = []
        for field in spec.headers
        where !unwanted.contains(field.name.lowercased())
            && !(trail.hasLeftOrigin && !HarmlessHeaders.travels(field.name))
        {
            lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        let isOwnCoding = asksForCompression && decodesContent
        if !isUpload, !isOwnCoding, spec.headers["Accept-Encoding"] == nil { lines.append("Accept-Encoding: identity") }
        if let key = spec.idempotencyKey, !trail.isFetchingAnswer, spec.headers["Idempotency-Key"] == nil {
            lines.append("Idempotency-Key: \(key)")
        }
        // For a name with a colon and no value, libcurl leaves the field out.
        if isUpload, !asksForGoAhead, spec.headers["Expect"] == nil { lines.append("Expect:") }
        if asksForRange {
            let last = request.pieceEnd.map { "\($0.subtractingClamped(1))" } ?? ""
            lines.append("Range: bytes=\(request.offset)-\(last)")
            switch request.partial?.validator {
            case .strongETag(let tag) where request.needsMatch: lines.append("If-Match: \(tag)")
            case let validator?: lines.append("If-Range: \(validator.ifRange)")
            case nil: break
            }
        }
        return lines
    }
}
