// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// One field or file of a form, given by `-F` or `--form-string` in curl's syntax.
package struct FormArgument: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        case value(String)
        /// `@FILE`: sent as a file.
        case file(String)
        /// `<FILE`: sent as a field with the file's text.
        case text(String)
    }

    package var name: String
    package var content: Content
    package var fileName: String?
    package var contentType: String?

    package init(name: String, content: Content, fileName: String? = nil, contentType: String? = nil) {
        self.name = name
        self.content = content
        self.fileName = fileName
        self.contentType = contentType
    }

    /// All parts named by a command line, in order.
    ///
    /// - Parameter given: the options `--form` and `--form-string` with their values.
    /// - Returns: the parts; `@FILE,FILE` makes several.
    /// - Throws: `UsageError`, which names the field but never its value, which may be a secret.
    package static func all(_ given: [(name: String, value: String)]) throws(UsageError) -> [FormArgument] {
        var all: [FormArgument] = []
        for (option, text) in given {
            let (name, content) = try split(text, option)
            if option == "--form-string" {
                all.append(FormArgument(name: name, content: .value(content)))
            } else {
                all += try parse(name, content)
            }
        }
        return all
    }

    private static func split(_ text: String, _ option: String) throws(UsageError) -> (String, String) {
        let bytes = text.utf8
        guard let end = bytes.firstIndex(of: UInt8(ascii: "=")) else {
            throw UsageError(
                option == "--form" ? "-F takes NAME=VALUE, NAME=@FILE or NAME=<FILE" : "\(option) takes NAME=VALUE"
            )
        }
        guard end != bytes.startIndex else {
            throw UsageError("a part of a form needs a name before the =")
        }
        return (String(text[..<end]), String(text[bytes.index(after: end)...]))
    }

    private static func parse(_ name: String, _ content: String) throws(UsageError) -> [FormArgument] {
        switch content.utf8.first {
        case UInt8(ascii: "@"): return try files(name, content)
        case UInt8(ascii: "<"):
            var scanner = FormArgumentScanner(content.utf8.dropFirst(), field: name, separator: nil)
            let path = try scanner.path()
            let parameters = try scanner.parameters()
            guard parameters.fileName == nil else {
                throw UsageError(
                    "the field '\(name)' is not a file and takes no filename=: write \(name)=@FILE to send one"
                )
            }
            return [FormArgument(name: name, content: .text(path), contentType: parameters.contentType)]
        case UInt8(ascii: "("):
            throw UsageError(
                "forms within forms are not supported: give '\(name)' with --form-string if its value begins with ("
            )
        default:
            var scanner = FormArgumentScanner(content.utf8[...], field: name, separator: nil)
            let value = try scanner.word()
            let parameters = try scanner.parameters()
            return [
                FormArgument(
                    name: name,
                    content: .value(value),
                    fileName: parameters.fileName,
                    contentType: parameters.contentType
                )
            ]
        }
    }

    /// `@FILE` or `@FILE,FILE`: each file is a separate part with the same name, as in browsers (RFC 7578, section
    /// 4.3). curl would send several files in a multipart/mixed part, which the RFC forbids and few servers support.
    private static func files(_ name: String, _ content: String) throws(UsageError) -> [FormArgument] {
        var files: [FormArgument] = []
        var scanner = FormArgumentScanner(content.utf8.dropFirst(), field: name, separator: UInt8(ascii: ","))
        repeat {
            let path = try scanner.path()
            let parameters = try scanner.parameters()
            files.append(
                FormArgument(
                    name: name,
                    content: .file(path),
                    fileName: parameters.fileName,
                    contentType: parameters.contentType
                )
            )
        } while scanner.consumeSeparator()
        return files
    }

    /// The part of the form, with curl's default content type where none was given.
    ///
    /// - Parameters:
    ///   - context: provides the base of relative paths.
    ///   - source: creates a source from a file, or from its copy.
    /// - Returns: the part.
    /// - Throws: `CommandFailure` for a file that cannot be sent.
    package func part(
        _ context: CommandContext,
        _ source: (String) throws(CommandFailure) -> TransferSpec.UploadSource
    ) throws(CommandFailure) -> FormBody.Part {
        switch content {
        case .value(let value):
            let guessed = fileName.flatMap(GuessedContentType.of)
            return .init(name: name, content: .value(value), fileName: fileName, contentType: contentType ?? guessed)
        case .text(let file):
            let path = try Self.checked(context.absolute(file), name)
            // A field is text by default.
            let guessed = GuessedContentType.of(path).flatMap { $0 == "text/plain" ? nil : $0 }
            return .init(name: name, content: .file(try source(path)), contentType: contentType ?? guessed)
        case .file(let file):
            let path = try Self.checked(context.absolute(file), name)
            return .init(
                name: name,
                content: .file(try source(path)),
                fileName: fileName ?? path.pathParts.last ?? "",
                contentType: contentType ?? GuessedContentType.ofFile(named: fileName, at: path)
            )
        }
    }

    private static func checked(_ path: String, _ name: String) throws(CommandFailure) -> String {
        guard !SourceFile.isDirectory(path) else {
            throw CommandFailure(
                "\(path) is a directory: name the files of '\(name)' one by one, as in -F '\(name)=@FILE'."
            )
        }
        return path
    }
}
