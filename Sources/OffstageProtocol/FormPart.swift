// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The details of a form's field or file for `show`. A field's value may be a secret: only its length is included.
package struct FormPart: Codable, Sendable, Equatable {
    package var name: String
    /// For a file: its path.
    package var path: String?
    /// The file name that the server receives.
    package var fileName: String?
    package var contentType: String?
    /// The length of the file or of the value, in bytes.
    @Within<ByteCounts> package var size: Int64
    /// Whether the daemon sends a private copy of the file.
    package var isSnapshot: Bool

    package init(_ part: FormBody.Part) {
        name = part.name
        fileName = part.fileName
        contentType = part.contentType
        switch part.content {
        case .value(let value):
            size = Int64(value.utf8.count)
            isSnapshot = false
        case .file(let source):
            path = source.path
            size = source.identity.size
            isSnapshot = source.isSnapshot
        }
    }
}
