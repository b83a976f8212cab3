// SPDX-License-Identifier: Apache-2.0

/// A `multipart/form-data` body (RFC 7578): fields and files in order, laid out as browsers do.
package struct FormBody: Sendable, Hashable {
    /// A field or a file.
    package struct Part: Sendable, Hashable {
        package enum Content: Sendable, Hashable {
            /// Text, kept with the transfer.
            case value(String)
            /// The bytes of a file, unchanged.
            case file(TransferSpec.UploadSource)
        }

        package var name: String
        package var content: Content
        /// The file name sent to the receiver; nil for no file name, which makes the part a field.
        package var fileName: String?
        /// nil if absent, which means text (RFC 7578, section 4.4).
        package var contentType: String?

        package init(name: String, content: Content, fileName: String? = nil, contentType: String? = nil) {
            self.name = name
            self.content = content
            self.fileName = fileName
            self.contentType = contentType
        }
    }

    package var parts: [Part]
    /// The separator of the parts: generated at random with the form, and the same in every attempt.
    package var boundary: String

    package init(parts: [Part], boundary: String) {
        self.parts = parts
        self.boundary = boundary
    }

    /// Creates a form with a new boundary that occurs in none of its values.
    package init(parts: [Part]) {
        self.init(parts: parts, boundary: Self.randomBoundary())
        while hasBoundaryInside { boundary = Self.randomBoundary() }
    }

    /// The value of `Content-Type`.
    package var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// The files to send, in order.
    package var sources: [TransferSpec.UploadSource] {
        parts.compactMap { part in
            if case .file(let source) = part.content { source } else { nil }
        }
    }
}

extension FormBody {
    /// A word that shows people what made the request, followed by 128 random bits: no file contains it by chance.
    package static func randomBoundary() -> String {
        var bits = UInt128.random(in: 0...UInt128.max)
        var digits = ""
        for _ in 0..<32 {
            digits.append(Array("0123456789abcdef")[Int(bits & 15)])
            bits >>= 4
        }
        return "OffstageFormBoundary-" + digits
    }

    /// Whether the body, apart from its files, contains the boundary, which would end a part too early.
    var hasBoundaryInside: Bool {
        parts.contains { part in
            var texts = [part.name, part.fileName ?? "", part.contentType ?? ""]
            if case .value(let value) = part.content { texts.append(value) }
            return texts.contains { Self.holds($0, boundary) }
        }
    }

    /// Whether a text contains a boundary, compared by bytes: one visible letter may be several bytes.
    package static func holds(_ text: String, _ boundary: String) -> Bool {
        var text = text
        return text.withUTF8 { holds(UnsafeRawBufferPointer($0), boundary) }
    }

    /// Whether bytes contain a boundary.
    package static func holds(_ bytes: UnsafeRawBufferPointer, _ boundary: String) -> Bool {
        let wanted = Array(boundary.utf8)
        guard let first = wanted.first else { return true }
        guard bytes.count >= wanted.count else { return false }
        for start in 0...(bytes.count - wanted.count) where bytes[start] == first {
            if bytes[start...].starts(with: wanted) { return true }
        }
        return false
    }
}
