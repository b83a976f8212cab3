// SPDX-License-Identifier: Apache-2.0
import CCurl
package import OffstageCore

/// Questions to a server about a transfer's file.
extension TokenRequest {
    /// One request of such a question.
    package struct Question: Sendable {
        package var method: String
        package var headers: [HeaderField]
        /// JSON; nil for none.
        package var body: String?
        /// The owner's options for requests to this server; nil if the owner has not named it.
        package var owners: OwnersOptions?

        package init(_ method: String, _ headers: [HeaderField], body: String? = nil, owners: OwnersOptions? = nil) {
            self.method = method
            self.headers = headers
            self.body = body
            self.owners = owners
        }
    }

    /// The options of an owner's own requests.
    package struct OwnersOptions: Sendable {
        package var credentials: TransferSpec.UserPassword?
        package var connection: ConnectionOptions?
        package var pinnedKey: String?

        package init(
            credentials: TransferSpec.UserPassword?,
            connection: ConnectionOptions?,
            pinnedKey: String?
        ) {
            self.credentials = credentials
            self.connection = connection
            self.pinnedKey = pinnedKey
        }
    }
}

extension TokenRequest.OwnersOptions {
    /// Sets libcurl's options, as for an attempt (`CurlAttempt+Options`).
    ///
    /// - Returns: why the request cannot be sent.
    func set(on handle: CurlHandle, server: String) -> TransferFailure? {
        if let credentials {
            let isForDigest = credentials.isForDigest == true
            handle.set(CURLOPT_HTTPAUTH, isForDigest ? offstage_curl_auth_digest : offstage_curl_auth_basic)
            handle.set(CURLOPT_USERNAME, credentials.user)
            handle.set(CURLOPT_PASSWORD, credentials.password)
        }
        if let pinnedKey {
            guard PinnedKey.isSound(pinnedKey) else {
                return .init(.certificateRejected, "the pinned key of \(server) is not a SHA-256")
            }
            handle.set(CURLOPT_PINNEDPUBLICKEY, pinnedKey)
        }
        if pinnedKey != nil || connection?.acceptsAnyCertificate == true {
            handle.set(CURLOPT_SSL_VERIFYPEER, 0)
            handle.set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        guard let connection else { return nil }
        if let problem = AuthorityFile.problem(of: connection) { return problem }
        for (option, path) in [
            (CURLOPT_SSLCERT, connection.certificatePath), (CURLOPT_SSLKEY, connection.keyPath),
            (CURLOPT_NETRC_FILE, connection.netrcPath),
        ] {
            if let path { handle.set(option, path) }
        }
        // Without a password OpenSSL would ask for one on a terminal.
        if connection.certificatePath != nil { handle.set(CURLOPT_KEYPASSWD, "") }
        if connection.netrcPath != nil { handle.set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue)) }
        switch connection.ipVersion {
        case 4: handle.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
        case 6: handle.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
        default: break
        }
        if connection.needsTLS13 == true { handle.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_3) }
        if connection.hasNoUserAgent == true { handle.unset(CURLOPT_USERAGENT) }
        if let places = connection.connectTo, !handle.setConnectTo(places) { return CurlAttempt.noMemory }
        return nil
    }
}
