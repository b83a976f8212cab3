// SPDX-License-Identifier: Apache-2.0

/// A server's challenge: Apple's `URLAuthenticationChallenge`, as a value.
package struct Challenge: Sendable, Hashable, Codable {
    package enum Method: Sendable, Hashable, Codable {
        /// The certificate chain that was not accepted, the server's own first, each in DER.
        case serverTrust(certificates: [Base64Bytes])
        case httpBasic
        case httpDigest
    }

    package var method: Method
    package var host: String
    package var port: Int
    package var isSecure: Bool
    /// HTTP's realm; nil for a certificate.
    package var realm: String?
    /// The number of failed answers to this transfer's challenges.
    package var previousFailures: Int

    package init(
        method: Method,
        host: String,
        port: Int,
        isSecure: Bool,
        realm: String? = nil,
        previousFailures: Int = 0
    ) {
        self.method = method
        self.host = host
        self.port = port
        self.isSecure = isSecure
        self.realm = realm
        self.previousFailures = previousFailures
    }
}
