// SPDX-License-Identifier: Apache-2.0

/// A `multipart/form-data` body (RFC 7578): fields and files in order, laid out as browsers do it.
package struct FormBody: Sendable, Hashable, Codable {
    /// A field or a file.
    package struct Part: Sendable, Hashable, Codable {
        package enum Content: Sendable, Hashable, Codable {
            case value(String)
            case file(TransferSpec.UploadSource)
        }

        package var name: String
        package var content: Content
        /// What the receiver is told that the file is called; nil for no file name.
        package var fileName: String?
        /// nil for none, which means text (RFC 7578, section 4.4).
        package var contentType: String?

        package init(name: String, content: Content, fileName: String? = nil, contentType: String? = nil) {
            self.name = name
            self.content = content
            self.fileName = fileName
            self.contentType = contentType
        }
    }

    package var parts: [Part]
    /// What separates the parts; made at random when the form is made, and the same in every attempt.
    package var boundary: String

    package init(parts: [Part], boundary: String) {
        self.parts = parts
        self.boundary = boundary
    }

    /// The value of `Content-Type`.
    package var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// The files that are sent, in order.
    package var sources: [TransferSpec.UploadSource] {
        parts.compactMap { part in
            if case .file(let source) = part.content { source } else { nil }
        }
    }
}
