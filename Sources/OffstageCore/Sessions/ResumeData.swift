// SPDX-License-Identifier: Apache-2.0

/// The kept beginning of a session's download, with everything that another task needs to continue it. Its JSON is the
/// argument of `downloadTask(withResumeData:)`.
///
/// The first task that continues it takes the file. A task that does not find it, because another has taken it or a
/// week has passed, begins at byte 0.
package struct ResumeData: Sendable, Equatable, Codable {
    /// The file's name in `OffstagePaths.resumable`.
    package var token: String
    package var partial: PartialDownload
    package var url: RequestURL
    package var method: String
    package var headers: [HeaderField]
    /// The file's size, in bytes.
    @Within<ByteCounts> package var bytes: Int64

    package init(
        token: String,
        partial: PartialDownload,
        url: RequestURL,
        method: String,
        headers: [HeaderField],
        bytes: Int64
    ) {
        self.token = token
        self.partial = partial
        self.url = url
        self.method = method
        self.headers = headers
        self.bytes = bytes
    }

    /// The beginning of a download that has this specification.
    init(token: String, partial: PartialDownload, of spec: TransferSpec, bytes: Int64) {
        self.init(
            token: token,
            partial: partial,
            url: spec.url,
            method: spec.method,
            headers: spec.headers,
            bytes: bytes
        )
    }

    /// Whether a text, which comes from an app, can be the name of a kept file: lower-case hexadecimal digits.
    package static func isToken(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}
