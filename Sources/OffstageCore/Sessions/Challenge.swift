// SPDX-License-Identifier: Apache-2.0

/// What a server wants to have settled before it takes part: Apple's `URLAuthenticationChallenge`, as a value.
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
    /// How many answers to this transfer's challenges did not help.
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
