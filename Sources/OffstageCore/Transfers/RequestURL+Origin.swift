// SPDX-License-Identifier: Apache-2.0

extension RequestURL {
    /// Whether requests to both URLs go to the same server (RFC 6454).
    package func hasOrigin(of other: RequestURL) -> Bool {
        (scheme, host, port) == (other.scheme, other.host, other.port)
    }

    /// The server, without a path: `https://files.example:8443`, with the port if the URL has one.
    package var origin: String {
        "\(scheme)://\(unredacted.dropFirst(scheme.utf8.count + 3).prefix { !"/?#".contains($0) })"
    }
}
