// SPDX-License-Identifier: Apache-2.0
public import Foundation
import OffstageCore

/// Fields and files that a background session sends as one `multipart/form-data` body (RFC 7578).
///
/// ```swift
/// var form = MultipartForm()
/// form.addField("title", "Sunset")
/// form.addFile("photo", at: photo)
/// let task = session.uploadTask(with: URLRequest(url: url), fromForm: form)
/// task.resume()
/// ```
///
/// Files are not read or copied when they are added or when the task is resumed: the daemon sends them from their
/// current location, and they must not change until they are sent. Names are encoded as browsers encode them: UTF-8,
/// with quotes and line breaks percent-encoded. Line breaks in values become CRLF.
///
/// A form can have up to 1,000 parts, and up to 256 KiB of names and values in total: the task of a larger form fails
/// when it is resumed. Put longer texts into a file (`addText`) or add them as data.
public struct MultipartForm: Sendable {
    enum Content: Sendable {
        case value(String)
        case file(URL)
        case data(Data)
    }

    struct Part: Sendable {
        var name: String
        var content: Content
        var fileName: String?
        var contentType: String?
    }

    private(set) var parts: [Part] = []
    /// The separator of the parts: random, and not contained in any of the names, values and data.
    private(set) var boundary = FormBody.randomBoundary()

    /// Creates an empty form; a form without parts cannot be sent.
    public init() {}

    /// The request's `Content-Type`, with the boundary. The task sets it and replaces any other value.
    public var contentType: String { FormBody(parts: [], boundary: boundary).contentType }

    /// Adds a text field.
    public mutating func addField(_ name: String, _ value: String) {
        add(Part(name: name, content: .value(value)))
    }

    /// Adds a file.
    ///
    /// - Parameters:
    ///   - name: the field's name; several files may share it.
    ///   - file: a file URL.
    ///   - fileName: the file name sent to the server; the file's own name by default.
    ///   - contentType: a type such as `image/jpeg`; by default it is guessed from the file name's extension.
    public mutating func addFile(_ name: String, at file: URL, fileName: String? = nil, contentType: String? = nil) {
        add(
            Part(
                name: name,
                content: .file(file),
                fileName: fileName ?? file.lastPathComponent,
                contentType: contentType ?? GuessedContentType.ofFile(named: fileName, at: file.path)
            )
        )
    }

    /// Adds a field whose value is the content of a file, byte for byte.
    ///
    /// - Parameters:
    ///   - name: the field's name.
    ///   - file: a file URL.
    ///   - contentType: a type; by default none is sent, which means UTF-8 text.
    public mutating func addText(_ name: String, from file: URL, contentType: String? = nil) {
        add(Part(name: name, content: .file(file), contentType: contentType))
    }

    /// Adds data as a file. When the task is resumed, the data is written to a file that belongs to the daemon and is
    /// deleted when the task ends.
    ///
    /// - Parameters:
    ///   - name: the field's name.
    ///   - data: the content.
    ///   - fileName: the file name sent to the server; if nil, the data is an ordinary field.
    ///   - contentType: a type such as `image/png`; by default it is guessed from the file name's extension.
    public mutating func addData(_ name: String, _ data: Data, fileName: String?, contentType: String? = nil) {
        let guessed = fileName.map { GuessedContentType.ofFile(named: $0, at: "") }
        add(Part(name: name, content: .data(data), fileName: fileName, contentType: contentType ?? guessed))
    }

    private mutating func add(_ part: Part) {
        parts.append(part)
        // Only someone who has seen the boundary can have written it.
        if holdsBoundary(part) { self = redrawn() }
    }

    private func holdsBoundary(_ part: Part) -> Bool {
        let isInContent =
            switch part.content {
            case .value(let value): FormBody.holds(value, boundary)
            case .data(let data): data.withUnsafeBytes { FormBody.holds($0, boundary) }
            case .file: false
            }
        let texts = [part.name, part.fileName ?? "", part.contentType ?? ""]
        return isInContent || texts.contains { FormBody.holds($0, boundary) }
    }

    private func redrawn() -> MultipartForm {
        var form = MultipartForm()
        for part in parts { form.add(part) }
        return form
    }

    /// The form as handed over; data has a file name but no file yet.
    ///
    /// - Parameters:
    ///   - identity: the current identity of a file; throws if it cannot be sent.
    ///   - spoolPath: the path for a file of data.
    /// - Returns: the form with its files.
    /// - Throws: the errors of `identity`.
    func body(identity: (String) throws -> FileIdentity, spoolPath: () -> String) throws -> FormBody {
        let parts = try parts.map { part in
            let content: FormBody.Part.Content
            switch part.content {
            case .value(let value): content = .value(value)
            case .file(let file):
                let path = file.absoluteURL.path
                content = .file(.init(path: path, identity: try identity(path)))
            case .data:
                let unwritten = FileIdentity(device: 0, inode: 0, size: 0, modified: 0)
                content = .file(.init(path: spoolPath(), identity: unwritten, isSnapshot: true))
            }
            return FormBody.Part(
                name: part.name,
                content: content,
                fileName: part.fileName,
                contentType: part.contentType
            )
        }
        return FormBody(parts: parts, boundary: boundary)
    }
}
