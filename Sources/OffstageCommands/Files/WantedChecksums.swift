// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The checksums that a command line requires: of one file, or of all files in a list.
struct WantedChecksums {
    private let one: Checksum?
    private let list: ChecksumList?
    /// The path of the list.
    private let path: String

    /// - Parameters:
    ///   - one: `sha256:` and its digits, for a single file.
    ///   - list: the path of a list of checksums.
    ///   - context: the command's context.
    /// - Throws: `CommandFailure` for an invalid checksum, and for a list that cannot be read or parsed.
    init(_ one: String?, list: String?, _ context: CommandContext) throws(CommandFailure) {
        do throws(RequestError) {
            self.one = try one.map { text throws(RequestError) in try Checksum(parsing: Self.plain(text)) }
        } catch {
            throw CommandFailure(error.sentence, .usage)
        }
        guard let list else {
            path = ""
            self.list = nil
            return
        }
        path = try context.absolute(list)
        let bytes = try FileBytes.read(path, limit: ChecksumList.longest, mayWait: true)
        do throws(ChecksumList.Mistake) { self.list = try ChecksumList(bytes) } catch {
            throw CommandFailure(
                "Line \(error.line) of \(path.redactedControls) cannot be used: \(error.text).",
                .usage
            )
        }
    }

    /// `sha256:…` for aria2's `sha-256=…`.
    private static func plain(_ text: String) -> String {
        let name = text.prefix { $0 != "=" && $0 != ":" }
        guard ["sha-256", "sha256"].contains(name.lowercased()) else { return text }
        return "sha256:" + text.dropFirst(name.count + 1)
    }

    /// - Returns: nil if any content is accepted.
    /// - Throws: `CommandFailure` for a file that is not in the list.
    func sum(for url: RequestURL, savedAs target: String) throws(CommandFailure) -> Checksum? {
        guard let list else { return one }
        if let sum = list.sum(for: url, savedAs: target) { return sum }
        let name = url.fileName ?? target
        throw CommandFailure(
            "'\(name.redactedControls)' is not listed in \(path.redactedControls): nothing was handed over, since its checksum is not known.",
            .usage
        )
    }
}
