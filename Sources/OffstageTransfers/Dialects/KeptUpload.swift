// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// An unfinished upload that a server keeps and measures by `Upload-Offset`, as in tus and the IETF's protocol.
struct KeptUpload: Sendable, Equatable, Codable {
    /// Where the server keeps it. Anyone who knows this URL may be able to change the upload.
    var url: RequestURL
    /// Bytes of the source that the server has acknowledged.
    var acknowledged: Int64
    /// The end of the bytes of the source ever sent: the server cannot have more.
    var sent: Int64
    /// Until when the server keeps it (`Upload-Expires`), as received; nil if the server has not stated it.
    var expires: String?

    /// The meaning of the server's own count of bytes.
    enum Count: Sendable, Equatable {
        /// It has stored this many more bytes.
        case progress(Int64)
        case unchanged
        /// It has lost acknowledged bytes, which are sent again.
        case loss
        /// It has more than was sent: the bytes are not from this file.
        case impossible
    }

    /// The longest accepted URL, in bytes.
    private static let longestURL = 2048

    func isSound(size: Int64) -> Bool { acknowledged >= 0 && acknowledged <= sent && sent <= size }

    /// Whether all bytes of a source of this size were sent. Until then the server cannot have completed the upload,
    /// whatever it reports.
    ///
    /// `sent` is on record before the bytes leave this machine. After a crash or a lost answer, a server that has all of
    /// them is therefore believed; one that broke the connection before is not.
    func mayBeWhole(size: Int64) -> Bool { sent >= size }

    /// Adopts the server's count, unless it is impossible.
    mutating func acknowledge(_ offset: Int64) -> Count {
        guard offset >= 0, offset <= sent else { return .impossible }
        defer { acknowledged = offset }
        // checked: both are between 0 and the size of the file
        return offset > acknowledged
            ? .progress(offset - acknowledged) : offset < acknowledged ? .loss : .unchanged
    }

    /// Records that a request broke, or was refused, after a part of its body was sent. Bytes that never left this
    /// machine cannot have arrived.
    ///
    /// - Parameters:
    ///   - begin: the byte at which the body began.
    ///   - count: how many bytes of it were sent.
    ///   - before: `sent` as it was before the request.
    mutating func broke(from begin: Int64, after count: Int64, before: Int64) {
        sent = max(before, acknowledged, min(sent, begin.addingClamped(count)))
    }

    /// Reads the URL in a response's `Location`.
    ///
    /// - Parameters:
    ///   - headers: the response's headers.
    ///   - request: the URL of the request; the upload's URL must not be less secure.
    /// - Returns: the URL; nil if there is no usable one.
    static func url(in headers: [HeaderField], of request: RequestURL) -> RequestURL? {
        guard let text = headers["Location"], let url = LocationField.url(text, relativeTo: request),
            url.unredacted.utf8.count <= longestURL, url.scheme == "https" || request.scheme == "http"
        else { return nil }
        return url
    }

    /// The server's count in a response; nil if there is none.
    static func offset(_ headers: [HeaderField]) -> Int64? { headers["Upload-Offset"].flatMap { Int64(digits: $0) } }
}
