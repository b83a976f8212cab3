// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What downloads have to be, as a command line says: one file, or all of them by a list.
struct WantedChecksums {
    private let one: Checksum?
    private let list: ChecksumList?
    /// The list's.
    private let path: String

    /// - Parameters:
    ///   - one: `sha256:` and its digits, for the only file.
    ///   - list: the path of a list of checksums.
    ///   - context: the command's.
    /// - Throws: `CommandFailure` for a checksum that is none, and for a list that cannot be read or understood.
    init(_ one: String?, list: String?, _ context: CommandContext) throws(CommandFailure) {
        do throws(RequestError) {
            if let one { self.one = try Checksum(parsing: one) } else { self.one = nil }
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
            throw CommandFailure("Line \(error.line) of \(path.redactedControls) is of no use: \(error.text).", .usage)
        }
    }

    /// - Returns: nil when anything will do.
    /// - Throws: `CommandFailure` for a file that is not in the list.
    func sum(for url: RequestURL, savedAs target: String) throws(CommandFailure) -> Checksum? {
        guard let list else { return one }
        if let sum = list.sum(for: url, savedAs: target) { return sum }
        let name = url.fileName ?? target
        throw CommandFailure(
            "'\(name.redactedControls)' does not stand in \(path.redactedControls): nothing was handed over, since its checksum is not known.",
            .usage
        )
    }
}
