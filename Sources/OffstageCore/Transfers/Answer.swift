// SPDX-License-Identifier: Apache-2.0

/// A complete HTTP response, without the body that went to a file.
package struct Answer: Sendable, Equatable, Codable {
    @Within<StatusCodes> package var status: Int
    /// As received, in order.
    package var headers: [HeaderField]
    /// `1.0`, `1.1`, `2` …
    package var httpVersion: String
    /// The URL after all redirects.
    package var finalURL: String
    /// The beginning of a body that did not go to a file: an upload's reply, or the text of an error.
    package var bodyStart: [UInt8]
    /// The file that holds the whole of such a body if `bodyStart` does not; only for a session's upload.
    package var bodyPath: String?
    /// How many times the server, or a later one, redirected the request.
    @WithinIfPresent<Counts> package var redirectCount: Int?
    /// The address of the last connection: the proxy's, if one was used.
    package var remoteAddress: String?
    @WithinIfPresent<Ports> package var remotePort: Int?
    /// Whether no new connection was needed.
    package var isConnectionReused: Bool?
    /// Whether the answer only states that the file already exists, and nothing was sent (`--skip-existing`); nil for
    /// no.
    package var saysThere: Bool?
    /// Whether it answers a request made after an upload, and so describes something other than the file: a page to
    /// which the server redirected (303), or the upload itself, whose last answer was lost; nil for no.
    package var wasFetched: Bool?

    package init(
        status: Int,
        headers: [HeaderField] = [],
        httpVersion: String = "1.1",
        finalURL: String = "",
        bodyStart: [UInt8] = []
    ) {
        self.status = status
        self.headers = headers
        self.httpVersion = httpVersion
        self.finalURL = finalURL
        self.bodyStart = bodyStart
    }

    /// The most bytes of such a body that are kept.
    package static let bodyStartLimit = 65_536

    private enum CodingKeys: String, CodingKey {
        case status, headers, httpVersion, finalURL, bodyStart, bodyPath
        case redirectCount, remoteAddress, remotePort, isConnectionReused, saysThere, wasFetched
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = try container.decode(Int.self, forKey: .status)
        headers = try container.decode([HeaderField].self, forKey: .headers)
        httpVersion = try container.decode(String.self, forKey: .httpVersion)
        finalURL = try container.decode(String.self, forKey: .finalURL)
        bodyStart = Array(try container.decode(Base64Bytes.self, forKey: .bodyStart).bytes)
        bodyPath = try container.decodeIfPresent(String.self, forKey: .bodyPath)
        redirectCount = try container.decodeIfPresent(Int.self, forKey: .redirectCount)
        remoteAddress = try container.decodeIfPresent(String.self, forKey: .remoteAddress)
        remotePort = try container.decodeIfPresent(Int.self, forKey: .remotePort)
        isConnectionReused = try container.decodeIfPresent(Bool.self, forKey: .isConnectionReused)
        saysThere = try container.decodeIfPresent(Bool.self, forKey: .saysThere)
        wasFetched = try container.decodeIfPresent(Bool.self, forKey: .wasFetched)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encode(headers, forKey: .headers)
        try container.encode(httpVersion, forKey: .httpVersion)
        try container.encode(finalURL, forKey: .finalURL)
        try container.encode(Base64Bytes(bytes: bodyStart), forKey: .bodyStart)
        try container.encodeIfPresent(bodyPath, forKey: .bodyPath)
        try container.encodeIfPresent(redirectCount, forKey: .redirectCount)
        try container.encodeIfPresent(remoteAddress, forKey: .remoteAddress)
        try container.encodeIfPresent(remotePort, forKey: .remotePort)
        try container.encodeIfPresent(isConnectionReused, forKey: .isConnectionReused)
        try container.encodeIfPresent(saysThere, forKey: .saysThere)
        try container.encodeIfPresent(wasFetched, forKey: .wasFetched)
    }
}
