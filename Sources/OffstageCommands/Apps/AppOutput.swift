// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// The output of an app that the daemon launched: the end of a file, and what is appended to it.
struct AppOutput {
    private let app: String
    private let path: String
    /// Nil for all lines.
    private let count: Int?
    private let context: CommandContext
    /// A longer file is read from this many bytes before its end.
    private static let mostBytes: off_t = 64 << 20

    init(app: String, path: String, count: Int?, _ context: CommandContext) {
        self.app = app
        self.path = path
        self.count = count
        self.context = context
    }

    func run(follows: Bool) throws -> ExitStatus {
        var offset: off_t = 0
        var pending: [UInt8] = []
        let isThere = access(path, F_OK) == 0
        guard isThere || follows else {
            throw CommandFailure(
                "There is no output from \(app) yet: only an app that the daemon launches writes to \(path)."
            )
        }
        var lines = isThere ? try read(&offset, &pending) : []
        if let count { lines = lines.suffix(count) }
        guard follows else {
            if !pending.isEmpty { lines = (lines + [Self.text(pending[...])]).suffix(count ?? .max) }
            if context.printsJSON {
                context.output.print(try JSONText.of(Document(app: app, path: path, lines: lines)))
            } else {
                for line in lines { context.output.print(line) }
            }
            return .success
        }
        let pause = FollowPause(context)
        while true {
            for line in lines {
                context.output.print(context.printsJSON ? try JSONText.of(["line": line]) : line)
            }
            if let end = pause.wait() { return end }
            lines = access(path, F_OK) == 0 ? try read(&offset, &pending) : []
        }
    }

    /// The complete lines that were added.
    private func read(_ offset: inout off_t, _ pending: inout [UInt8]) throws(CommandFailure) -> [String] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable() }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw unreadable() }
        if facts.st_size < offset {
            // The log was truncated, since it is not kept forever.
            (offset, pending) = (0, [])
        }
        offset = max(offset, facts.st_size - Self.mostBytes)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let got = pread(descriptor, &buffer, buffer.count, offset)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw unreadable() }
            if got == 0 { break }
            pending += buffer[..<got]
            offset += off_t(got)
        }
        guard let end = pending.lastIndex(of: 10) else { return [] }
        let lines = pending[..<end].split(separator: 10, omittingEmptySubsequences: false).map(Self.text)
        pending.removeSubrange(...end)
        return lines
    }

    private func unreadable() -> CommandFailure {
        CommandFailure("The log \(path) cannot be read (\(String(cString: strerror(errno)))): check its permissions.")
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.last == 13 ? bytes.dropLast() : bytes, as: UTF8.self).redactedControls
    }

    struct Document: Encodable {
        let app: String
        let path: String
        let lines: [String]
    }
}
