// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles

/// How a process was started, according to `/proc`: everything needed to start it again.
package struct ProcessFacts: Sendable, Equatable {
    /// The absolute path of its file, even if that has been replaced since.
    package var executable: String
    /// All arguments except the first.
    package var arguments: [String]
    package var workingDirectory: String
    /// The whole environment, which may contain secrets: only for `LaunchEnvironment.allowed`.
    package var environment: [String: String]

    /// The limit in bytes: more than the kernel allows by default for arguments and environment.
    private static let limit = 4 << 20

    /// Reads the facts. Blocks for some ten system calls.
    ///
    /// The result belongs to the process if its pidfd, opened before, shows afterwards that it is still running.
    ///
    /// - Returns: nil if there is no such process, or it hides its program.
    package static func read(_ process: Int32) -> ProcessFacts? {
        guard let link = executableLink(of: process),
            let arguments = SmallFile.read("/proc/\(process)/cmdline", limit: limit),
            let folder = SmallFile.link("/proc/\(process)/cwd"),
            let environment = SmallFile.read("/proc/\(process)/environ", limit: limit)
        else { return nil }
        return ProcessFacts(
            executable: AppIdentity(link: link).executable,
            arguments: Array(texts(arguments).dropFirst()),
            workingDirectory: AppIdentity(link: folder).executable,
            environment: variables(environment)
        )
    }

    /// The target of `/proc/PID/exe`; nil if there is no such process, or it hides its program.
    package static func executableLink(of process: Int32) -> String? {
        SmallFile.link("/proc/\(process)/exe").flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// The value of one variable in a process's environment, as it was when its program began.
    static func variable(_ name: String, of process: Int32) -> String? {
        guard let bytes = SmallFile.read("/proc/\(process)/environ", limit: limit) else { return nil }
        let prefix = Array((name + "=").utf8)
        return bytes.split(separator: 0).first { $0.starts(with: prefix) }
            .map { String(decoding: $0.dropFirst(prefix.count), as: UTF8.self) }
    }

    /// Splits texts that each end with a NUL; empty ones count.
    private static func texts(_ bytes: [UInt8]) -> [String] {
        let ended = bytes.last == 0 ? bytes.dropLast() : bytes[...]
        guard !bytes.isEmpty else { return [] }
        return ended.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func variables(_ bytes: [UInt8]) -> [String: String] {
        var result: [String: String] = [:]
        for text in texts(bytes) {
            guard let mark = text.firstIndex(of: "="), mark != text.startIndex else { continue }
            let name = String(text[..<mark])
            // The first of several, as with getenv.
            if result[name] == nil { result[name] = String(text[text.index(after: mark)...]) }
        }
        return result
    }
}
