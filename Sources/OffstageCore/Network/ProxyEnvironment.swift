// SPDX-License-Identifier: Apache-2.0

/// The proxies that an environment names, as curl reads them: the environment of the client that hands over a transfer,
/// or of a sign-in.
package struct ProxyEnvironment: Sendable, Hashable, Codable {
    package var http: String?
    package var https: String?
    package var all: String?
    package var none: String?

    package init(http: String? = nil, https: String? = nil, all: String? = nil, none: String? = nil) {
        self.http = http
        self.https = https
        self.all = all
        self.none = none
    }

    /// The proxy for requests of a scheme, as it was given; nil for none.
    package func proxy(forScheme scheme: String) -> String? {
        let found = (scheme == "https" ? https : http) ?? all
        return found.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Checks the proxy for requests of a scheme: a proxy that libcurl rejects would be retried endlessly.
    package func validate(forScheme scheme: String) throws(RequestError) {
        guard let value = proxy(forScheme: scheme), ProxyAddress(value) == nil else { return }
        let schemes = ProxyAddress.schemes.joined(separator: ", ")
        throw .invalidValue(
            "The proxy that is set for \(scheme) must be SCHEME://HOST:PORT, with one of the schemes \(schemes)"
        )
    }
}
