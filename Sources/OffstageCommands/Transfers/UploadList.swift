// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// Assigns files to URLs.
package enum UploadList {
    package struct Pair: Sendable, Equatable {
        /// Absolute.
        package var path: String
        package var url: String
        /// How many folders at the end of the URL's path may be missing on the server; nil if the URL names the file.
        package var folders: Int?
        /// The path below the named directory; nil for a file that was named directly.
        package var relativePath: String?

        package init(path: String, url: String, folders: Int? = nil, relativePath: String? = nil) {
            self.path = path
            self.url = url
            self.folders = folders
            self.relativePath = relativePath
        }
    }

    /// Resolves the operands, the list on standard input, and directories.
    ///
    /// - Parameters:
    ///   - operands: the operands of the command line.
    ///   - followsLinks: whether links in directories are followed.
    ///   - addsNames: whether a file's name is added to a URL that ends with `/`; otherwise all files may go to one URL.
    ///   - context: the command's context.
    /// - Returns: the files with their URLs, in order.
    /// - Throws: `UsageError`, or `CommandFailure` for a directory that cannot be read.
    package static func pairs(
        _ operands: [String],
        followsLinks: Bool = false,
        addsNames: Bool = true,
        _ context: CommandContext
    ) throws -> [Pair] {
        let url = operands.count > 1 ? operands[operands.count - 1] : nil
        let names = operands.count > 1 ? Array(operands.dropLast()) : operands
        if let url, !UploadTarget.isTarget(url), names.contains(where: UploadTarget.isTarget) {
            throw UsageError("the destination comes last: offstage upload FILE… URL")
        }
        var pairs: [Pair] = []
        // A URL without a final / names one file.
        var usesOfPlainURL = 0
        for name in names {
            if name == "-" {
                for entry in try InputLines.parse(context.readInput()) {
                    guard let target = entry.second ?? url else {
                        throw UsageError(
                            "line \(entry.number) of standard input names no URL, and neither does the command line"
                        )
                    }
                    try checkIsName(entry.first, ofLine: entry.number, context)
                    if entry.second == nil, !UploadTarget.isFolder(target) { usesOfPlainURL += 1 }
                    pairs += try expanded(entry.first, target, followsLinks, addsNames, context)
                }
            } else if let url {
                try checkIsNoJSON(name, context)
                if !UploadTarget.isFolder(url) { usesOfPlainURL += 1 }
                pairs += try expanded(name, url, followsLinks, addsNames, context)
            }
        }
        if addsNames, usesOfPlainURL > 1 {
            throw UsageError("\(usesOfPlainURL) files cannot be sent to one URL; end it with / to add their names")
        }
        guard !pairs.isEmpty else { throw UsageError("standard input names no file") }
        return pairs
    }

    /// Refuses a JSON text as a file's name, as `--json` gives a body in curl, but selects the output here.
    private static func checkIsNoJSON(_ name: String, _ context: CommandContext) throws {
        guard let first = name.first, "{[\"".contains(first), access(try context.absolute(name), F_OK) != 0 else {
            return
        }
        throw UsageError(
            "there is no file '\(DisplayWidth.truncated(name.redactedControls, to: 60))': JSON on the command line is sent with --json-data, and --json makes this command print JSON"
        )
    }

    /// Refuses a line that is not a file's name, as the user may have piped in a file's content rather than a list.
    private static func checkIsName(_ name: String, ofLine number: Int, _ context: CommandContext) throws {
        let path = try context.absolute(name)
        guard access(path, F_OK) != 0, errno == ENOENT || errno == ENAMETOOLONG else { return }
        let shown = DisplayWidth.truncated(name.redactedControls, to: 60)
        throw CommandFailure(
            "Standard input is read as a list of file names, and there is no file '\(shown)' (line \(number)): to send data, write it to a file first."
        )
    }

    /// The files that one word names.
    ///
    /// - Parameters:
    ///   - name: the name of a file or a directory.
    ///   - url: the destination. Names are added to a final `/`.
    ///   - followsLinks: whether links in directories are followed.
    ///   - addsNames: whether names are added at all.
    ///   - context: the command's context.
    /// - Returns: the files, each with its URL.
    /// - Throws: `CommandFailure`.
    package static func expanded(
        _ name: String,
        _ url: String,
        _ followsLinks: Bool,
        _ addsNames: Bool,
        _ context: CommandContext
    ) throws -> [Pair] {
        var path = try context.absolute(name)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard UploadTarget.isFolder(url) || !addsNames else { return [Pair(path: path, url: url)] }
        guard SourceFile.isDirectory(path) else {
            guard addsNames else { return [Pair(path: path, url: url)] }
            let last = path.pathParts.last ?? ""
            return [Pair(path: path, url: UploadTarget.appending(last, to: url), folders: 1)]
        }
        let content = try DirectoryTree.content(of: path, followsLinks: followsLinks)
        for line in leftOut(content, in: path, followsLinks) {
            context.output.complain("offstage: \(line)".redactedControls)
        }
        guard !content.files.isEmpty else { throw CommandFailure("There is no file below the directory \(path).") }
        return content.files.map { name in
            Pair(
                path: path + "/" + name,
                url: addsNames ? UploadTarget.appending(name, to: url) : url,
                // The folder that the URL names, and those within it.
                folders: addsNames ? name.utf8.count { $0 == UInt8(ascii: "/") } + 1 : nil,
                relativePath: name
            )
        }
    }

    /// Describes the files of a directory that are not sent, and how to send them.
    private static func leftOut(_ content: DirectoryTree.Content, in path: String, _ followsLinks: Bool) -> [String] {
        var lines = content.others.map { "\(path)/\($0) is not a regular file and is left out." }
        if let first = content.links.first {
            let isOne = content.links.count == 1
            let which = isOne ? "the link \(first) is" : "\(content.links.count) links, such as \(first), are"
            let why =
                followsLinks
                ? "it points nowhere, or to a directory that contains it" : "--follow-links sends what a link points to"
            lines.append("In \(path) \(which) left out: \(why).")
        }
        return lines
    }
}
