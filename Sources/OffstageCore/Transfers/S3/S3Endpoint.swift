// SPDX-License-Identifier: Apache-2.0

/// A server that speaks S3, and the region that requests are signed for.
package struct S3Endpoint: Sendable, Hashable, Codable {
    /// `https://host[:port]`, without a slash at the end; nil for AWS, whose hosts follow from the region. In lower
    /// case, because libcurl sends the host as written, and the host is signed.
    package var base: String?
    package var region: String

    package init(base: String?, region: String) {
        self.base = base
        self.region = region
    }

    /// The region if none is named: AWS's first, which other servers accept as their own.
    package static let defaultRegion = "us-east-1"

    package var isAWS: Bool { base == nil }

    /// - Throws: `RequestError` for an invalid region or URL.
    package func validate() throws(RequestError) {
        guard Self.isRegion(region) else {
            throw .invalidValue("'\(region.redactedControls)' is not a region: write it as us-east-1")
        }
        guard let base else { return }
        let url = try RequestURL(base)
        let authority = base.dropFirst(url.scheme.count + 3)
        guard !authority.utf8.contains(where: { "/?#@".utf8.contains($0) }) else {
            throw .invalidURL("'\(url)' is more than an endpoint: write it as https://host or http://host:port")
        }
        guard base == base.lowercased() else { throw .invalidURL("'\(url)' must be in lower case") }
    }

    /// Whether a text may be the name of a region.
    package static func isRegion(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count) && text.utf8.allSatisfy(isLabelByte)
    }

    /// The base URL of the server, for people; at AWS, of the region's server.
    package var server: String { base ?? Self.awsBase(region) }

    /// The URL of requests that do not concern a bucket.
    ///
    /// - Throws: `RequestError` if that is no URL.
    package func serviceURL() throws(RequestError) -> RequestURL { try RequestURL("\(server)/") }

    private static func awsBase(_ region: String) -> String { "https://s3.\(region).\(awsDomain(region))" }

    private static func awsDomain(_ region: String) -> String {
        region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
    }

    /// Whether a key for this server may sign for URLs that begin with `place`. They must have its scheme, host and
    /// port; at AWS, they may be on the hosts of S3 in any region, since a bucket may be outside the usual region.
    package func owns(_ place: String) -> Bool {
        guard let url = try? RequestURL(place) else { return false }
        if let base { return (try? RequestURL(base))?.hasOrigin(of: url) ?? false }
        guard url.scheme == "https", url.port == 443 else { return false }
        let labels = url.host.split(separator: ".", omittingEmptySubsequences: false)
        let domain: [Substring] = labels.last == "cn" ? ["amazonaws", "com", "cn"] : ["amazonaws", "com"]
        let own = labels.dropLast(domain.count)
        // Other hosts in the domain belong to other services, and to customers.
        return labels.suffix(domain.count).elementsEqual(domain) && own.dropLast().last == "s3"
            && own.last.map { Self.isRegion(String($0)) } == true
    }

    /// The same server, or the account's if the owner names none. The default region counts as unnamed, as with
    /// accounts elsewhere.
    package func at(_ account: S3Endpoint?) -> S3Endpoint {
        guard let account else { return self }
        return S3Endpoint(
            base: base ?? account.base,
            region: region == Self.defaultRegion ? account.region : region
        )
    }

    /// The URL of an object: at AWS on the bucket's own host, unless no certificate covers that host; elsewhere as a
    /// path, which every server supports.
    ///
    /// - Throws: `RequestError` if that is no URL.
    package func url(of location: S3Location) throws(RequestError) -> RequestURL {
        let path = "/" + Self.encodedPath(location.key)
        if let base { return try RequestURL("\(base)/\(location.bucket)\(path)") }
        guard Self.isHostLabel(location.bucket) else {
            return try RequestURL("\(Self.awsBase(region))/\(location.bucket)\(path)")
        }
        return try RequestURL("https://\(location.bucket).s3.\(region).\(Self.awsDomain(region))\(path)")
    }

    /// The URL of an object whose bucket is in this region: at AWS, each region has its own hosts.
    ///
    /// - Throws: `RequestError` if that is no URL.
    package func url(of location: S3Location, in region: String) throws(RequestError) -> RequestURL {
        try S3Endpoint(base: base, region: region).url(of: location)
    }

    private static func isHostLabel(_ bucket: String) -> Bool {
        (3...63).contains(bucket.utf8.count)
            && bucket.utf8.allSatisfy(isLabelByte)
            && bucket.utf8.first != UInt8(ascii: "-") && bucket.utf8.last != UInt8(ascii: "-")
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "-")
    }

    /// Percent-encodes a key as signatures require it: everything but RFC 3986's unreserved characters and `/`.
    package static func encodedPath(_ key: String) -> String {
        // Bytes, as everywhere in S3.
        key.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { PercentEncoding.encoded(String(decoding: $0, as: UTF8.self)) }.joined(separator: "/")
    }
}
