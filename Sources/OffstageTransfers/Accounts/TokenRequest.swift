// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
package import OffstageCore

/// One short request: exchanges a code or token for another token, or queries a server. Blocks the thread that runs it.
///
/// Its contents are never logged, and redirects are not followed. A request with a token is sent only over https, or to
/// this machine itself.
package struct TokenRequest: Sendable {
    package enum Body: Sendable {
        case form([(name: String, value: String)])
        case json(String)
        /// No body: the header fields sign the request, and no secret is sent.
        case signed(method: String, [HeaderField])
        case question(Question)

        /// Whether it may go to another machine over plain http: it holds no token, or the owner's own transfer went
        /// there in the same way.
        fileprivate var mayGoUnprotected: Bool {
            switch self {
            case .form, .json: false
            case .signed: true
            case .question(let question): question.owners != nil
            }
        }
    }

    package let url: RequestURL
    package let body: Body
    package let bearer: String?
    private let proxy: ProxyEnvironment
    /// The file of authorities for checking the server's certificate; nil for the system's.
    package let certificateAuthorityPath: String?

    /// Timeouts in seconds: for the whole request, and for the connection.
    private static let patience = 30
    private static let connectPatience = 15

    /// The way to the server.
    package struct Way: Sendable {
        package var proxy: ProxyEnvironment
        package var certificateAuthorityPath: String?

        package init(_ proxy: ProxyEnvironment, certificateAuthorityPath: String?) {
            self.proxy = proxy
            self.certificateAuthorityPath = certificateAuthorityPath
        }
    }

    /// - Parameters:
    ///   - url: the URL to send it to.
    ///   - body: the body to send.
    ///   - bearer: the access token to send, if any.
    ///   - way: the proxies and certificate authorities to use.
    /// - Throws: `RequestError` for a URL that is invalid or that secrets must not be sent to.
    package init(_ url: String, _ body: Body, bearer: String? = nil, by way: Way) throws(RequestError) {
        self.url = try RequestURL(url)
        guard body.mayGoUnprotected || self.url.mayCarrySecrets else {
            throw .invalidURL("'\(self.url)' is plain http to another machine, where tokens are not sent")
        }
        self.body = body
        self.bearer = bearer
        proxy = way.proxy
        certificateAuthorityPath = way.certificateAuthorityPath
    }

    /// A request of an account, with its proxies and certificate authorities.
    ///
    /// - Throws: `RequestError`, as above.
    package init(_ url: String, _ body: Body, bearer: String? = nil, of account: Account) throws(RequestError) {
        let way = Way(account.proxy, certificateAuthorityPath: account.certificateAuthorityPath)
        try self.init(url, body, bearer: bearer, by: way)
    }

    /// Host and port, for messages.
    package var server: String { url.hostKey }

    /// Sends the request and waits for the whole answer.
    ///
    /// - Parameter isCancelled: called about once a second, on this thread. An answer that has arrived completely is
    ///   still accepted: it may contain the only valid refresh token.
    /// - Returns: the answer, whatever its status. A failure reveals nothing of what was sent or received.
    package func run(isCancelled: @escaping @Sendable () -> Bool = { false }) -> Result<TokenAnswer, TransferFailure> {
        guard CurlMulti.hasLibrary, let handle = CurlHandle(keepsCookies: false) else {
            return .failure(.init(.internalError, "libcurl could not be started"))
        }
        let exchange = TokenExchange(limit: longestAnswer, isCancelled: isCancelled)
        handle.reset()
        if let failure = prepare(handle) { return .failure(failure) }
        exchange.connect(to: handle)
        let code = withExtendedLifetime(exchange) { curl_easy_perform(handle.easy) }
        if exchange.isTooLong {
            return .failure(.init(.serverMisbehaves, "\(server) answered \(purpose) with too much data"))
        }
        guard code == CURLE_OK else {
            if isCancelled() { return .failure(.init(.daemonInterrupted, "the daemon stopped during \(purpose)")) }
            return .failure(failure(of: code, handle))
        }
        let wait = handle.offset(of: CURLINFO_RETRY_AFTER)
        return .success(
            TokenAnswer(
                status: handle.long(of: CURLINFO_RESPONSE_CODE),
                body: exchange.body,
                headers: exchange.headers,
                retryAfter: wait > 0 ? Double(wait) : nil
            )
        )
    }

    /// The longest accepted answer, in bytes: lists are longer than tokens.
    private var longestAnswer: Int { if case .signed = body { 2 << 20 } else { 65_536 } }

    /// The request's purpose, for sentences.
    private var purpose: String {
        switch body {
        case .form, .json: "a sign-in"
        case .signed, .question: "a question"
        }
    }

    /// The proxy in libcurl's format; empty for none.
    ///
    /// Requests to this machine never use a proxy, unless an owner's do. The daemon's own environment is never
    /// consulted either: an empty proxy keeps libcurl from reading it.
    private var proxyAddress: String {
        if case .question(let question) = body, question.owners != nil {
            return proxy.proxy(forScheme: url.scheme) ?? ""
        }
        return (url.scheme == "https" ? proxy.https ?? proxy.all : nil) ?? ""
    }

    private func prepare(_ handle: CurlHandle) -> TransferFailure? {
        handle.set(CURLOPT_URL, url.unredacted)
        handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        handle.set(CURLOPT_NOSIGNAL, true)
        // An unresponsive name server must not delay giving up.
        handle.set(CURLOPT_QUICK_EXIT, true)
        handle.set(CURLOPT_FOLLOWLOCATION, false)
        handle.set(CURLOPT_HTTP09_ALLOWED, false)
        handle.set(CURLOPT_TIMEOUT_MS, Self.patience * 1000)
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, Self.connectPatience * 1000)
        handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        handle.set(CURLOPT_USERAGENT, RequestOptions.userAgent)
        handle.set(CURLOPT_PROXY, proxyAddress)
        handle.set(CURLOPT_NOPROXY, proxy.none ?? "")
        if case .question(let question) = body, let failure = question.owners?.set(on: handle, server: server) {
            return failure
        }
        guard handle.setHeaders(setBody(of: handle)), !handle.lacksMemory else { return CurlAttempt.noMemory }
        guard let path = certificateAuthorityPath else { return nil }
        if let problem = AuthorityFile.problem(at: path) { return problem }
        handle.set(CURLOPT_CAINFO, path)
        return nil
    }

    /// - Returns: the lines of the header.
    private func setBody(of handle: CurlHandle) -> [String] {
        let secret = bearer.map { ["Authorization: Bearer \($0)"] } ?? []
        switch body {
        case .form(let fields):
            handle.set(CURLOPT_POST, true)
            handle.set(CURLOPT_COPYPOSTFIELDS, URLEncodedForm.encode(fields))
            return ["Accept: application/json"] + secret
        case .json(let text):
            handle.set(CURLOPT_POST, true)
            handle.set(CURLOPT_COPYPOSTFIELDS, text)
            return ["Accept: application/json"] + secret + ["Content-Type: application/json"]
        case .signed(let method, let fields):
            setMethod(method, of: handle)
            return fields.map { "\($0.name): \($0.value)" }
        case .question(let question):
            if let text = question.body {
                handle.set(CURLOPT_POST, true)
                handle.set(CURLOPT_COPYPOSTFIELDS, text)
            } else {
                setMethod(question.method, of: handle)
            }
            // libcurl omits a field whose line has a colon but no value.
            return question.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        }
    }

    private func setMethod(_ method: String, of handle: CurlHandle) {
        // If only the method's name were set, libcurl would wait for a body.
        if method == "HEAD" { handle.set(CURLOPT_NOBODY, true) } else { handle.set(CURLOPT_CUSTOMREQUEST, method) }
    }

    private func failure(of code: CURLcode, _ handle: CurlHandle) -> TransferFailure {
        CurlFailureMapping.failure(
            code: Int(code.rawValue),
            .init(
                server: server,
                isConnected: handle.offset(of: CURLINFO_PRETRANSFER_TIME_T) > 0,
                connectTimeout: Double(Self.connectPatience),
                libraryText: handle.errorDescription,
                systemError: handle.systemError,
                lastStatus: handle.long(of: CURLINFO_RESPONSE_CODE),
                proxyStatus: handle.long(of: CURLINFO_HTTP_CONNECTCODE),
                certificateFile: certificateAuthorityPath
            )
        )
    }
}
