// SPDX-License-Identifier: Apache-2.0
import CCrypto
package import FoundationEssentials
import Glibc
package import OffstageCore

/// Signs a request to S3 with AWS Signature Version 4
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html). The secret is not sent.
package struct SignatureV4: Sendable {
    private let key: AccessKey
    private let region: String
    /// The time of the request, by the server's clock.
    private let time: Date

    package init(key: AccessKey, region: String, time: Date) {
        self.key = key
        self.region = region
        self.time = time
    }

    /// The SHA-256 of no bytes.
    package static let hashOfNothing = Hexadecimal.text(digest([]))

    /// The header fields that sign a request.
    ///
    /// - Parameters:
    ///   - method: the request's method.
    ///   - url: the request's URL; its path and its sorted query are percent-encoded as signatures require.
    ///   - headers: the request's other fields; the `x-amz-…` fields are signed.
    ///   - bodyHash: the SHA-256 of the body, hexadecimal.
    /// - Returns: the fields to add.
    package func fields(_ method: String, _ url: RequestURL, _ headers: [HeaderField], bodyHash: String)
        -> [HeaderField]
    {
        let moment = Self.timestamp(time)
        let day = String(moment.prefix(8))
        var added = [
            HeaderField(name: "x-amz-content-sha256", value: bodyHash), HeaderField(name: "x-amz-date", value: moment),
        ]
        if let token = key.sessionToken { added.append(HeaderField(name: "x-amz-security-token", value: token)) }
        let signed = Self.signed(headers + added, host: Self.host(of: url))
        let names = signed.map(\.name).joined(separator: ";")
        let (path, query) = Self.pathAndQuery(of: url)
        let canonical =
            ([method, path, query] + signed.map { "\($0.name):\($0.value)" } + ["", names, bodyHash]).joined(
                separator: "\n"
            )
        let scope = "\(day)/\(region)/s3/aws4_request"
        let text = [
            "AWS4-HMAC-SHA256", moment, scope, Hexadecimal.text(Self.digest(Array(canonical.utf8))),
        ].joined(separator: "\n")
        var signing = Array("AWS4\(key.secret)".utf8)
        for part in [day, region, "s3", "aws4_request"] { signing = Self.authentication(of: part, key: signing) }
        let signature = Hexadecimal.text(Self.authentication(of: text, key: signing))
        let value =
            "AWS4-HMAC-SHA256 Credential=\(key.id)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
        return added + [HeaderField(name: "Authorization", value: value)]
    }

    /// The fields to sign: names in lower case, sorted, with the values of equal names joined.
    private static func signed(_ headers: [HeaderField], host: String) -> [HeaderField] {
        var values: [String: [String]] = ["host": [host]]
        for field in headers {
            let name = field.name.lowercased()
            if name.hasPrefix("x-amz-") { values[name, default: []].append(trimmed(field.value)) }
        }
        return values.sorted { $0.key < $1.key }.map { HeaderField(name: $0, value: $1.joined(separator: ",")) }
    }

    /// A value without surrounding spaces, and with runs of spaces collapsed to one.
    private static func trimmed(_ value: String) -> String {
        value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
    }

    /// The host as in the request's `Host`: with the port unless it is the scheme's default.
    private static func host(of url: RequestURL) -> String {
        let authority = url.unredacted.dropFirst(url.scheme.utf8.count + 3).prefix { !"/?#".contains($0) }
        let isOwnPort = url.port == (url.scheme == "https" ? 443 : 80)
        let suffix = ":\(url.port)"
        return String(isOwnPort && authority.hasSuffix(suffix) ? authority.dropLast(suffix.count) : authority)
    }

    private static func pathAndQuery(of url: RequestURL) -> (path: String, query: String) {
        let rest = url.unredacted.utf8.dropFirst(url.scheme.utf8.count + 3)
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return ("/", "") }
        let parts = rest[slash...].split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let texts = parts.map { String(decoding: $0, as: UTF8.self) }
        return (texts[0], texts.count > 1 ? texts[1] : "")
    }

    /// `YYYYMMDDTHHMMSSZ`.
    package static func timestamp(_ time: Date) -> String {
        // A clock that is far off produces a time that the server refuses, stating its own in the answer.
        var seconds = time_t(min(max(0, time.timeIntervalSince1970), 253_402_300_799))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        // checked: years 1970 to 9999, and months from 0
        let day = "\(parts.tm_year + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))"
        return "\(day)T\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))Z"
    }

    // MARK: - libcrypto

    static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 32)
        _ = EVP_Digest(bytes, bytes.count, &result, nil, EVP_sha256(), nil)
        return result
    }

    private static func authentication(of text: String, key: [UInt8]) -> [UInt8] {
        let bytes = Array(text.utf8)
        var result = [UInt8](repeating: 0, count: 32)
        _ = HMAC(EVP_sha256(), key, Int32(clamping: key.count), bytes, bytes.count, &result, nil)
        return result
    }
}
