// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The destination of an upload: a URL or a place in an account (`AccountTarget`). A file's name is added to a final
/// `/`.
package enum UploadTarget {
    /// Whether the URL's path ends with `/`, so that names can be added to it.
    package static func isFolder(_ url: String) -> Bool {
        if !isOfWeb(url) {
            if let target = AccountTarget(url) { return target.isFolder }
            if let path = BucketPath(url) { return path.isFolder }
        }
        let path = url.utf8[..<pathEnd(url)]
        guard path.last == UInt8(ascii: "/") else { return false }
        return RequestURL.schemeEnd(in: url).map { $0.upperBound < path.endIndex } ?? true
    }

    /// The URL with a relative path added to its path, percent-encoded (RFC 3986), before its query. In an account and
    /// in a bucket, names are not encoded.
    package static func appending(_ relativePath: String, to url: String) -> String {
        if AccountTarget(url) != nil { return url + relativePath }
        if var path = BucketPath(url) {
            path.key += relativePath
            return path.text
        }
        let end = pathEnd(url)
        let encoded = relativePath.pathParts.map { PercentEncoding.encoded(String($0)) }.joined(separator: "/")
        return url[..<end] + encoded + url[end...]
    }

    /// Whether a word can only be a destination.
    package static func isTarget(_ word: String) -> Bool { word.contains("://") || AccountTarget(word) != nil }

    /// Whether it names neither an account nor a bucket. Compares bytes, as a list may have millions of lines.
    private static func isOfWeb(_ url: String) -> Bool {
        url.utf8.starts(with: "https://".utf8) || url.utf8.starts(with: "http://".utf8)
    }

    private static func pathEnd(_ url: String) -> String.Index {
        url.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? url.endIndex
    }
}
