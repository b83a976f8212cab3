// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
import OffstageCore

/// What libcurl is told before an attempt.
extension CurlAttempt {
    static let userAgent = "Offstage/0.1"
    private static let usualRedirectLimit = 20
    private static let largeBuffer = 2_097_152
    private static let smallBuffer = 65_536
    private static let smallestBuffer = 16_384

    /// Sets all options; returns why the attempt cannot even begin.
    func prepare() -> TransferFailure? {
        handle.reset()
        handle.setCallbacks(self)
        if request.checksSourceFirst, let failure = body?.sourceFailure() { return failure }
        setConnection()
        setAuthentication()
        setMethod()
        setHeaders()
        // One that is left of an attempt that a crash ended.
        if let path = request.bodySpoolPath { unlink(path) }
        return setCertificates() ?? verdictFailure ?? (handle.lacksMemory ? Self.noMemory : nil)
    }

    static let noMemory = TransferFailure(.daemonInterrupted, "there is not enough memory for the request")

    private var verdictFailure: TransferFailure? {
        if case .failed(let failure)? = verdict { failure } else { nil }
    }

    /// Gives libcurl the header lines; an attempt for which there is no memory is broken off, since less than all of them
    /// would be another request.
    func setHeaders() {
        if !handle.setHeaders(headerLines()) { refuse(Self.noMemory) }
        guard handle.keepsCookies else { return }
        // In one field with those that libcurl keeps, as RFC 6265 wants it (section 5.4).
        let own = trail.ownCookies(in: request.spec.headers)
        if own.isEmpty { handle.unset(CURLOPT_COOKIE) } else { handle.set(CURLOPT_COOKIE, own.joined(separator: "; ")) }
    }

    /// Bytes libcurl reads or sends at once.
    private var bufferSize: Int {
        request.usesLargeBuffers ? Self.largeBuffer : isUpload ? Self.smallestBuffer : Self.smallBuffer
    }

    var redirectLimit: Int {
        let own = request.spec.connection?.mostRedirects ?? Self.usualRedirectLimit
        return min(max(0, own), ConnectionOptions.mostRedirectsAllowed)
    }

    private func setConnection() {
        let spec = request.spec
        // What the app answered counts, not what the URL says; libcurl sees it the other way round.
        let url = spec.url.unredacted
        handle.set(CURLOPT_URL, hasAppsCredentials ? Self.withoutUser(url) : url)
        handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        handle.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        handle.set(CURLOPT_NOSIGNAL, true)
        // An attempt that ends while its host is looked up leaves the thread that does it to itself. To wait for a name server
        // that does not answer would hold up all other transfers, since one thread has all of them.
        handle.set(CURLOPT_QUICK_EXIT, true)
        handle.set(CURLOPT_FOLLOWLOCATION, !request.takesRedirectAsAnswer)
        handle.set(CURLOPT_MAXREDIRS, redirectLimit)
        handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        handle.set(CURLOPT_HTTP09_ALLOWED, false)
        handle.set(CURLOPT_TCP_KEEPALIVE, true)
        handle.set(
            CURLOPT_CONNECTTIMEOUT_MS,
            Int(Int32(nearest: max(1, (spec.connectTimeout ?? spec.idleTimeout) * 1000)))
        )
        handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        handle.set(CURLOPT_HTTP_CONTENT_DECODING, decodesContent)
        // libcurl decodes only where it may say what it takes, and what is sent is what this says.
        if decodesContent { handle.set(CURLOPT_ACCEPT_ENCODING, asksForCompression ? "" : "identity") }
        // Without one libcurl sends none.
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

    /// Never the daemon's own environment: an empty proxy keeps libcurl from looking there.
    func setProxy(forScheme scheme: String) {
        trail.proxy = request.spec.proxy.proxy(forScheme: scheme)
        handle.set(CURLOPT_PROXY, trail.proxy ?? "")
    }

    /// Whether user and password are an app's answer to a challenge.
    private var hasAppsCredentials: Bool { request.spec.sessionTask != nil && request.spec.credentials != nil }

    private func setAuthentication() {
        guard let credentials = request.spec.credentials else { return }
        // Basic goes out with the first request, as curl's --user does; leaving libcurl the choice would cost every
        // attempt a round trip. A server that wants Digest gets it in a second go.
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
            // As a POST and not as an upload of another name: libcurl then follows 301 and 302 as browsers do.
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
        if let key = request.spec.pinnedKey, !TransferSpec.isKeyHash(key) {
            return .init(.certificateRejected, "the key that \(request.spec.url.hostKey) should have is not a SHA-256")
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
    private static func problem(of connection: ConnectionOptions) -> TransferFailure? {
        let files = [
            (connection.certificatePath, "client's certificate"), (connection.keyPath, "client's key"),
            (connection.netrcPath, "file of passwords"),
        ]
        for (path, what) in files {
            if let path, let problem = AuthorityFile.problem(at: path, what) { return problem }
        }
        return nil
    }

    /// Whether the body waits until the server has said that it may come.
    var asksForGoAhead: Bool {
        request.expectsGoAhead && turn.goAheads.isWorthAsking(request.spec.url.hostKey, length: bodySize)
    }

    /// Whether a content coding is undone, as Apple's sessions do it: the app's file is to be what the server meant, also
    /// when that sends what nobody has asked for. Not in the middle of a file, and not for the command, as curl has it.
    var decodesContent: Bool {
        (request.spec.sessionTask != nil || asksForCompression) && request.spec.dialect == nil && request.offset == 0
    }

    private var asksForCompression: Bool { !isUpload && request.spec.connection?.asksForCompression == true }

    /// The header lines of the request, as libcurl takes them.
    func headerLines() -> [String] {
        let spec = request.spec
        // A length that disagrees with the body, or a range the partial file knows nothing of, would be a lie.
        var unwanted: Set<String> = ["content-length"]
        if !isUpload, request.offset > 0 { unwanted.formUnion(["range", "if-range"]) }
        if hasAppsCredentials { unwanted.insert("authorization") }
        if handle.keepsCookies { unwanted.insert("cookie") }
        // What was said of a body that is not sent again.
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
        // With a colon and nothing behind it libcurl leaves the field out.
        if isUpload, !asksForGoAhead, spec.headers["Expect"] == nil { lines.append("Expect:") }
        if !isUpload, request.offset > 0 {
            lines.append("Range: bytes=\(request.offset)-")
            if let validator = request.partial?.validator { lines.append("If-Range: \(validator.ifRange)") }
        }
        return lines
    }
}
