// SPDX-License-Identifier: Apache-2.0
import CCurl
import OffstageCore

/// Handles a server's challenges that the app of a session task decides about.
///
/// Only challenges of the transfer's own server count. Challenges of a server that it redirects to are handled by
/// default: neither a password nor trust given to one server is valid for another.
extension CurlAttempt {
    /// Whether the owner can be asked.
    var asksOwner: Bool {
        request.spec.sessionTask != nil && request.spec.handlesChallengesByDefault != true
    }

    /// The challenge behind a failed handshake.
    func trustChallenge(_ code: CURLcode) -> Challenge? {
        guard code == CURLE_PEER_FAILED_VERIFICATION, asksOwner, request.spec.pinnedKey == nil, !trail.hasLeftOrigin,
            let chain = certificates?.chain, !chain.isEmpty,
            // Otherwise it was the proxy's certificate.
            handle.long(of: CURLINFO_PROXY_SSL_VERIFYRESULT) == 0
        else { return nil }
        return challenge(.serverTrust(certificates: chain), realm: nil)
    }

    /// The challenge in a response's head: Digest if the server offers a choice.
    var authenticationChallenge: Challenge? {
        guard response.head.status == 401, asksOwner, !trail.hasLeftOrigin else { return nil }
        let offered = AuthenticationOffer.offers(in: response.head.fields)
        if let digest = offered.first(where: { $0.scheme == "digest" }) {
            return challenge(.httpDigest, realm: digest.realm)
        }
        return offered.first { $0.scheme == "basic" }.map { challenge(.httpBasic, realm: $0.realm) }
    }

    private func challenge(_ method: Challenge.Method, realm: String?) -> Challenge {
        let url = request.spec.url
        return Challenge(method: method, host: url.host, port: url.port, isSecure: url.scheme == "https", realm: realm)
    }

    /// Sets which certificate to accept from the next server.
    ///
    /// - Parameter isOrigin: whether it is the transfer's own server, the only one that a pinned key is valid for.
    func setTrust(isOrigin: Bool) {
        let key = isOrigin ? request.spec.pinnedKey : nil
        let isChecked = key == nil && request.spec.connection?.acceptsAnyCertificate != true
        handle.set(CURLOPT_SSL_VERIFYPEER, isChecked ? 1 : 0)
        handle.set(CURLOPT_SSL_VERIFYHOST, isChecked ? 2 : 0)
        // The client's certificate is only for the server that was named.
        if let connection = request.spec.connection, connection.certificatePath != nil {
            setClientCertificate(isOrigin ? connection : ConnectionOptions())
        }
        if let key {
            handle.set(CURLOPT_PINNEDPUBLICKEY, key)
        } else {
            handle.unset(CURLOPT_PINNEDPUBLICKEY)
        }
    }

    private func setClientCertificate(_ connection: ConnectionOptions) {
        for (option, path) in [
            (CURLOPT_SSLCERT, connection.certificatePath), (CURLOPT_SSLKEY, connection.keyPath),
        ] {
            if let path { handle.set(option, path) } else { handle.unset(option) }
        }
        // Without a password OpenSSL would ask for one on a terminal, while all transfers wait.
        handle.set(CURLOPT_KEYPASSWD, "")
    }
}
