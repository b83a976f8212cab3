// SPDX-License-Identifier: Apache-2.0

/// Unusual options of a transfer's requests: the curl options that a background transfer can honour.
package struct ConnectionOptions: Sendable, Hashable, Codable {
    /// Whether the server's certificate is not checked (`--insecure`).
    package var acceptsAnyCertificate: Bool?
    /// PEM files with which the client authenticates (`--cert`, `--key`); read by the daemon at each attempt.
    package var certificatePath: String?
    package var keyPath: String?
    /// `HOST:PORT:CONNECT-HOST:CONNECT-PORT`, each of which may be empty (`--connect-to`, and `--resolve`).
    package var connectTo: [String]?
    /// A file with names and passwords by host (`--netrc-file`); read by the daemon at each attempt.
    package var netrcPath: String?
    /// Whether the body is posted data, as from a web page: a redirect that browsers follow with GET is followed with
    /// GET.
    package var postsData: Bool?
    /// Whether the server is asked to compress its response, which is then decompressed (`--compressed`).
    package var asksForCompression: Bool?
    /// Whether requests have no `User-Agent` unless the headers name one (`--user-agent ''`).
    package var hasNoUserAgent: Bool?
    /// 4 or 6 to connect only to addresses of that IP version (`--ipv4`, `--ipv6`).
    package var ipVersion: Int?
    /// Whether TLS 1.3 is the oldest version allowed (`--tlsv1.3`).
    package var needsTLS13: Bool?
    /// The most redirects to follow (`--max-redirs`); nil for the usual number.
    package var mostRedirects: Int?
    /// Seconds between attempts, in place of growing waits (`--retry-delay`).
    package var retryDelay: Double?
    /// The number of connections that a download may use at once (`--connections`); nil if the daemon chooses.
    package var connections: Int?

    package init() {}

    package var isUsual: Bool { self == ConnectionOptions() }

    /// Whether any option other than the number of connections and the retry delay is set.
    var isOfRequests: Bool {
        var usual = ConnectionOptions()
        (usual.connections, usual.retryDelay) = (connections, retryDelay)
        return self != usual
    }

    /// For people: the names of files, but none of their contents.
    package var summary: [String] {
        var lines: [String] = []
        if acceptsAnyCertificate == true { lines.append("any certificate is accepted") }
        if let certificatePath { lines.append("with the certificate \(certificatePath)") }
        if let netrcPath { lines.append("with names and passwords from \(netrcPath)") }
        lines.append(contentsOf: (connectTo ?? []).map { "connected to as \($0)" })
        if asksForCompression == true { lines.append("compressed if the server supports it") }
        if hasNoUserAgent == true { lines.append("without a User-Agent") }
        if let ipVersion { lines.append("over IPv\(ipVersion) only") }
        if needsTLS13 == true { lines.append("over TLS 1.3 only") }
        if let mostRedirects { lines.append("with at most \(mostRedirects) redirect\(mostRedirects == 1 ? "" : "s")") }
        if let retryDelay { lines.append("with \(String(duration: retryDelay)) between attempts") }
        if let connections { lines.append("over up to \(connections) connections at once") }
        return lines
    }

    private static let mostPlaces = 100
    /// The number that curl follows by default.
    package static let mostRedirectsAllowed = 50
    /// More would hardly be faster, and many servers refuse more.
    package static let mostConnections = 16
    /// Seconds: a year.
    private static let longestRetryDelay = 31_536_000.0

    func validate() throws(RequestError) {
        for path in [certificatePath, keyPath, netrcPath] {
            if let path { try TransferSpec.validate(path: path) }
        }
        guard ipVersion.map([4, 6].contains) ?? true else { throw .invalidValue("The IP version must be 4 or 6") }
        guard mostRedirects.map((0...Self.mostRedirectsAllowed).contains) ?? true else {
            throw .invalidValue("From 0 to \(Self.mostRedirectsAllowed) redirects may be followed")
        }
        guard retryDelay.map((0...Self.longestRetryDelay).contains) ?? true else {
            throw .invalidValue("The time between two attempts may be a year at most")
        }
        guard connections.map((1...Self.mostConnections).contains) ?? true else {
            throw .invalidValue("A download may use from 1 to \(Self.mostConnections) connections")
        }
        let places = connectTo ?? []
        guard places.count <= Self.mostPlaces else {
            throw .invalidValue("A transfer may have \(Self.mostPlaces) addresses of its own")
        }
        for place in places {
            guard place.utf8.count <= 1024, place.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
                place.utf8.count(where: { $0 == UInt8(ascii: ":") }) >= 3
            else { throw .invalidValue("'\(place.redactedControls)' is not an address such as HOST:PORT:HOST2:PORT2") }
        }
    }
}
