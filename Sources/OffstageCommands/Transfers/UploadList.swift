// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Which file goes to which URL.
package enum UploadList {
    package struct Pair: Sendable, Equatable {
        /// Absolute.
        package var path: String
        package var url: String
    }

    /// Sorts out the operands, the list on standard input and directories.
    ///
    /// - Throws: `UsageError`, or `CommandFailure` for a directory that cannot be read.
    package static func pairs(_ operands: [String], _ context: CommandContext) throws -> [Pair] {
        let url = operands.count > 1 ? operands[operands.count - 1] : nil
        let names = operands.count > 1 ? Array(operands.dropLast()) : operands
        if let url, !UploadTarget.isTarget(url), names.contains(where: UploadTarget.isTarget) {
            throw UsageError("where the files go comes last: offstage upload FILE… URL")
        }
        var pairs: [Pair] = []
        // A URL without a final / is one file's own.
        var usesOfPlainURL = 0
        for name in names {
            if name == "-" {
                for entry in try InputLines.parse(context.readInput()) {
                    guard let target = entry.second ?? url else {
                        throw UsageError(
                            "line \(entry.number) of standard input names no URL, and neither does the command line"
                        )
                    }
                    if entry.second == nil, !UploadTarget.isFolder(target) { usesOfPlainURL += 1 }
                    pairs += try expanded(entry.first, target, context)
                }
            } else if let url {
                if !UploadTarget.isFolder(url) { usesOfPlainURL += 1 }
                pairs += try expanded(name, url, context)
            }
        }
        if usesOfPlainURL > 1 {
            throw UsageError("\(usesOfPlainURL) files cannot go to one URL; end it with / to have their names added")
        }
        guard !pairs.isEmpty else { throw UsageError("standard input names no file") }
        return pairs
    }

    private static func expanded(_ name: String, _ url: String, _ context: CommandContext) throws -> [Pair] {
        var path = context.absolute(name)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard UploadTarget.isFolder(url) else { return [Pair(path: path, url: url)] }
        guard SourceFile.isDirectory(path) else {
            let last = path.split(separator: "/").last.map(String.init) ?? ""
            return [Pair(path: path, url: UploadTarget.appending(last, to: url))]
        }
        let content = try DirectoryTree.content(of: path)
        for skipped in content.skipped {
            context.output.complain(
                "offstage: \(path)/\(skipped) is not a regular file and is left out.".redactedControls
            )
        }
        guard !content.files.isEmpty else { throw CommandFailure("There is no file below the directory \(path).") }
        return content.files.map { Pair(path: path + "/" + $0, url: UploadTarget.appending($0, to: url)) }
    }
}
