// SPDX-License-Identifier: Apache-2.0

/// The secrets of a page: one in its link, for a single use, and the one in the cookie that it is exchanged for. Both
/// are made for one process and end with it. There may also be a token that gives access to metrics and nothing else.
package struct PageKeys: Sendable {
    /// The link's secret; nil once it was used.
    private var link: String?
    private let cookie: String
    private let metrics: String?

    package init(link: String, cookie: String, metrics: String? = nil) {
        self.link = link
        self.cookie = cookie
        self.metrics = metrics
    }

    /// Exchanges the link's secret for the cookie's.
    ///
    /// - Parameter secret: the secret that was presented.
    /// - Returns: the cookie's value; nil for a secret that is wrong or was already used.
    package mutating func enter(_ secret: String) -> String? {
        guard let link, Self.areSame(link, secret) else { return nil }
        self.link = nil
        return cookie
    }

    /// Whether a cookie is this process's own.
    package func admits(_ value: String) -> Bool { Self.areSame(cookie, value) }

    /// Whether an `Authorization` value has the token for metrics.
    package func admitsMetrics(_ authorization: String) -> Bool {
        guard let metrics else { return false }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return false }
        return Self.areSame(metrics, String(parts[1]))
    }

    /// Compares two texts in constant time, which does not reveal where they differ.
    private static func areSame(_ one: String, _ other: String) -> Bool {
        let (left, right) = (Array(one.utf8), Array(other.utf8))
        guard !left.isEmpty, left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Returns a secret of 256 random bits, as hexadecimal digits.
    package static func secret() -> String {
        var source = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &source), radix: 16)
            return String(repeating: "0", count: max(0, 16 - digits.utf8.count)) + digits
        }.joined()
    }
}
