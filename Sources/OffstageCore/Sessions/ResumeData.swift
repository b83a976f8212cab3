// SPDX-License-Identifier: Apache-2.0

/// The kept beginning of a session's download, and what another task needs to go on with it: as JSON it is what
/// `downloadTask(withResumeData:)` takes.
///
/// The file is taken by the first task that goes on with it. A task that finds it gone, because another took it or it
/// was kept for a week, begins from byte 0.
package struct ResumeData: Sendable, Equatable, Codable {
    /// The file's name in `OffstagePaths.resumable`.
    package var token: String
    package var partial: PartialDownload
    package var url: RequestURL
    package var method: String
    package var headers: [HeaderField]
    /// How many there are.
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

    /// Whether a text, which comes from an app, can be the name of a kept file: lower-case hexadecimal digits.
    package static func isToken(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}
