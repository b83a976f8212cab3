// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
package import OffstageCore

/// Maps libcurl's codes to transfer failures, as a pure function.
package enum CurlFailureMapping {
    /// Facts about the attempt in addition to the code.
    package struct Situation: Sendable {
        /// Host and port of the most recent request.
        package var server: String
        /// Whether the connection, with TLS and proxy, had been established.
        package var isConnected: Bool
        /// Seconds.
        package var connectTimeout: Double
        /// How far the attempt got, as the end of a sentence.
        package var progress: String
        /// libcurl's own text, which may contain a URL.
        package var libraryText: String
        /// The errno of the last failed system call; 0 for none.
        package var systemError: Int32
        /// The status of the last response; 0 for none.
        package var lastStatus: Int
        /// The status of the proxy's answer to CONNECT; 0 for none.
        package var proxyStatus: Int
        /// The proxy that the request went to; nil for none.
        package var proxy: ProxyAddress?
        /// Whether a response's head had begun but not ended.
        package var isReadingHead: Bool
        /// The file of certificate authorities, if the owner named one.
        package var certificateFile: String?
        /// The file of the client's certificate, if the owner named one.
        package var clientCertificate: String?
        /// How many redirects are followed, if the owner set a limit.
        package var redirectLimit: Int?

        package init(
            server: String,
            isConnected: Bool = true,
            connectTimeout: Double = 60,
            progress: String = "before the answer arrived",
            libraryText: String = "",
            systemError: Int32 = 0,
            lastStatus: Int = 0,
            proxyStatus: Int = 0,
            proxy: ProxyAddress? = nil,
            isReadingHead: Bool = false,
            certificateFile: String? = nil,
            clientCertificate: String? = nil,
            redirectLimit: Int? = nil
        ) {
            self.server = server
            self.isConnected = isConnected
            self.connectTimeout = connectTimeout
            self.progress = progress
            self.libraryText = libraryText
            self.systemError = systemError
            self.lastStatus = lastStatus
            self.proxyStatus = proxyStatus
            self.proxy = proxy
            self.isReadingHead = isReadingHead
            self.certificateFile = certificateFile
            self.clientCertificate = clientCertificate
            self.redirectLimit = redirectLimit
        }
    }

    /// - Parameters:
    ///   - code: a `CURLcode` other than `CURLE_OK`.
    ///   - situation: the other known facts.
    /// - Returns: the failure; its detail names the server but no other part of the URL.
    package static func failure(code: Int, _ situation: Situation) -> TransferFailure {
        let server = situation.server
        let code = CURLcode(rawValue: UInt32(clamping: code))
        if let failure = proxyFailure(code, situation) { return failure }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            return .init(.cannotFindHost, "no address is known for \(TransferTurns.host(of: server))")
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED:
            return .init(.cannotConnect, "cannot connect to \(server)\(systemText(code, situation))")
        case CURLE_OPERATION_TIMEDOUT:
            return timedOut(situation)
        case CURLE_SSL_CONNECT_ERROR:
            return handshakeFailed(situation)
        case CURLE_SSL_CERTPROBLEM where situation.clientCertificate != nil:
            let file = situation.clientCertificate ?? ""
            return .init(.certificateFileUnreadable, "the client's certificate \(file), or its key, cannot be used")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
            CURLE_SSL_CRL_BADFILE, CURLE_OBSOLETE51:
            return .init(
                .certificateRejected,
                "the certificate of \(peer(situation)) is not accepted\(libraryText(situation))"
            )
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return .init(.certificateRejected, "the key of \(server) is not the one that was trusted")
        case CURLE_SSL_CACERT_BADFILE:
            return badCertificateFile(situation)
        case CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_USE_SSL_FAILED:
            return .init(.secureConnectionFailed, "TLS could not be set up\(libraryText(situation))")
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2,
            CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_QUIC_CONNECT_ERROR, CURLE_SSL_SHUTDOWN_FAILED,
            CURLE_SEND_FAIL_REWIND, CURLE_AGAIN, CURLE_UNRECOVERABLE_POLL, CURLE_NO_CONNECTION_AVAILABLE:
            return connectionLost(code, situation)
        case CURLE_TOO_MANY_REDIRECTS:
            let limit = situation.redirectLimit.map { "\(server) redirects more often than --max-redirs \($0) allows" }
            return .init(.tooManyRedirects, limit ?? "\(server) redirects again and again")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT:
            return badRedirectOrAnswer(situation)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_BAD_FUNCTION_ARGUMENT,
            CURLE_HTTP_RETURNED_ERROR, CURLE_RANGE_ERROR, CURLE_BAD_DOWNLOAD_RESUME, CURLE_FILESIZE_EXCEEDED,
            CURLE_CHUNK_FAILED:
            return .init(.badServerResponse, "\(server) sent something that is not valid HTTP\(libraryText(situation))")
        case CURLE_OUT_OF_MEMORY where situation.isReadingHead:
            // libcurl's code for a header line beyond 100 kB.
            return .init(.badServerResponse, "\(server) sends an endless header line")
        case CURLE_AUTH_ERROR, CURLE_LOGIN_DENIED, CURLE_REMOTE_ACCESS_DENIED:
            return .init(.unauthorized, "\(server) does not accept the credentials")
        case CURLE_READ_ERROR:
            return .init(.sourceUnreadable, "the file cannot be read")
        case CURLE_WRITE_ERROR:
            return .init(.targetNotWritable, "the file cannot be written")
        default:
            return .init(.internalError, "libcurl ended with code \(code.rawValue)\(libraryText(situation))")
        }
    }

    /// A failure of the proxy itself; nil for any other.
    private static func proxyFailure(_ code: CURLcode, _ situation: Situation) -> TransferFailure? {
        switch code {
        case CURLE_COULDNT_RESOLVE_PROXY:
            let host = situation.proxy.map { " \($0.host)" } ?? ""
            return .init(.proxyFailed, "no address is known for the proxy\(host)")
        case CURLE_PROXY:
            return .init(.proxyFailed, "the proxy refused to connect to \(situation.server)")
        case CURLE_COULDNT_CONNECT where isOfProxy(situation):
            let proxy = "the proxy\(name(of: situation.proxy))"
            return .init(.proxyFailed, "cannot connect to \(proxy)\(systemText(code, situation))")
        default: return nil
        }
    }

    /// Whether it was the proxy that libcurl could not connect to. Only libcurl's text reveals that: versions from 8 on
    /// name the server and, after "via", the proxy; earlier versions name only the proxy.
    private static func isOfProxy(_ situation: Situation) -> Bool {
        guard let proxy = situation.proxy else { return false }
        let name = proxy.host.filter { $0 != "[" && $0 != "]" }
        return [" via \(name) ", "connect to \(name) port \(proxy.port) "].contains {
            situation.libraryText.lowercased().firstRange(of: $0) != nil
        }
    }

    /// The TLS peer: the proxy until it has established a tunnel. A request without TLS needs no tunnel.
    private static func peer(_ situation: Situation) -> String {
        isTLSWithProxy(situation) ? "the proxy\(name(of: situation.proxy))" : situation.server
    }

    private static func isTLSWithProxy(_ situation: Situation) -> Bool {
        situation.proxy?.scheme == "https" && situation.proxyStatus == 0
    }

    /// The end of a sentence about a connection that a proxy may have held up; empty without a proxy.
    package static func way(by proxy: ProxyAddress?) -> String {
        proxy.map { " through the proxy \($0.hostKey)" } ?? ""
    }

    private static func name(of proxy: ProxyAddress?) -> String { proxy.map { " \($0.hostKey)" } ?? "" }

    private static func timedOut(_ situation: Situation) -> TransferFailure {
        situation.isConnected
            ? .init(
                .idleTimeout,
                "the connection to \(situation.server) went silent \(situation.progress)\(way(by: situation.proxy))"
            )
            : .init(
                .idleTimeout,
                "no connection to \(situation.server) within \(String(duration: situation.connectTimeout))\(way(by: situation.proxy))"
            )
    }

    private static func connectionLost(_ code: CURLcode, _ situation: Situation) -> TransferFailure {
        // libcurl uses the code of a broken connection for these two as well.
        if situation.libraryText.firstRange(of: "Too large response headers") != nil {
            return .init(.badServerResponse, "\(situation.server) sends endless headers")
        }
        if situation.libraryText.firstRange(of: "chunked-encoding") != nil {
            return .init(.serverMisbehaves, "\(situation.server) sent an invalid chunked body")
        }
        if situation.proxyStatus >= 300 {
            let answer = "the proxy answered \(situation.proxyStatus) when it was asked for \(situation.server)"
            // The remedy differs from that for a proxy that does not work.
            return .init(.proxyFailed, answer, status: situation.proxyStatus == 407 ? 407 : nil)
        }
        let text = "the connection to \(situation.server) broke \(situation.progress)"
        return .init(.connectionLost, text + systemText(code, situation))
    }

    /// The failure of a handshake. A server without TLS will not change; one that closed the connection may be back in
    /// a moment.
    private static func handshakeFailed(_ situation: Situation) -> TransferFailure {
        let hungUp = [
            "reset by peer", "SSL_ERROR_SYSCALL", "unexpected eof", "Broken pipe", "SSL_ERROR_ZERO_RETURN", "timed out",
            "unreachable", "No route to host", "Network is down",
        ]
        if hungUp.contains(where: { situation.libraryText.firstRange(of: $0) != nil })
            || [ECONNRESET, EPIPE].contains(situation.systemError)
        {
            let words = "the connection to \(peer(situation)) broke during the TLS handshake"
            let code: TransferFailure.Code = isTLSWithProxy(situation) ? .proxyFailed : .connectionLost
            return .init(code, "\(words), as with a server that does not speak TLS (http:// instead of https://)")
        }
        return .init(
            .secureConnectionFailed,
            "no secure connection to \(peer(situation))\(libraryText(situation))"
        )
    }

    private static func badCertificateFile(_ situation: Situation) -> TransferFailure {
        let file = situation.certificateFile.map { "the certificate file \($0)" } ?? "the system's certificate store"
        return .init(.certificateFileUnreadable, "\(file) cannot be read or holds no certificate")
    }

    /// libcurl uses the same codes for a redirect it must not follow and for an answer that is not HTTP.
    private static func badRedirectOrAnswer(_ situation: Situation) -> TransferFailure {
        (300..<400).contains(situation.lastStatus)
            ? .init(.redirectRefused, "\(situation.server) redirects to something that is neither http nor https")
            : .init(.badServerResponse, "\(situation.server) sent something that is not HTTP")
    }

    /// The kernel's reason. libcurl keeps the last one, even if it is not why the request failed: only a system call's
    /// code has one. Another address of the server may have refused a connection before this one broke.
    private static func systemText(_ code: CURLcode, _ situation: Situation) -> String {
        let error = situation.systemError
        switch code {
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: break
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            if [ECONNREFUSED, ENETUNREACH, EINPROGRESS].contains(error) { return "" }
        default: return ""
        }
        return error == 0 ? "" : ": \(String(cString: strerror(error)))"
    }

    private static func libraryText(_ situation: Situation) -> String {
        let text = RequestURL.redact(situation.libraryText)
        return text.isEmpty ? "" : ": \(text)"
    }
}
