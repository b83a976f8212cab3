// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import FoundationEssentials
import Glibc
import OffstageCore

/// Which app's which process is at the other end of a socket: what the kernel says of it, not what it says itself.
struct PeerIdentity: Sendable, Equatable {
    var app: String
    var process: ProcessIdentity

    /// Reads it. Blocking: called on a worker.
    ///
    /// - Parameters:
    ///   - process: the peer's number, from its credentials.
    ///   - pidfd: the peer itself, where the kernel gives one out, else -1; closed here.
    /// - Returns: nil when the process has gone, or hides what it runs.
    static func read(process: pid_t, pidfd: Int32) -> PeerIdentity? {
        defer { if pidfd >= 0 { close(pidfd) } }
        guard process > 0, let startedAt = startTime(of: process), let link = executableLink(of: process) else {
            return nil
        }
        // While the process itself still runs, its number cannot have become another's: what was read is its own.
        guard pidfd >= 0 ? offstage_pidfd_is_alive(pidfd) == 1 : startTime(of: process) == startedAt else { return nil }
        let identity = AppIdentity(link: link)
        return PeerIdentity(
            app: identity.name(identity.candidates.map(bundle)),
            process: ProcessIdentity(number: process, startedAt: startedAt)
        )
    }

    /// Whether a process is no more. Blocking: called on a worker.
    static func hasEnded(_ process: ProcessIdentity) -> Bool {
        guard let fields = statFields(of: process.number), startTime(fields) == process.startedAt else { return true }
        // Dead, but its parent has not looked yet. With threads left, only its first has ended.
        return (fields[0] == "Z" || fields[0] == "X") && (Int(fields[17]) ?? 0) <= 1
    }

    private static func executableLink(of process: pid_t) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 16)
        let count = readlink("/proc/\(process)/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let text = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.hasPrefix("/") ? text : nil
    }

    private static func startTime(of process: pid_t) -> UInt64? { statFields(of: process).flatMap(startTime) }

    private static func startTime(_ fields: [String]) -> UInt64? { UInt64(fields[19]) }

    /// Fields 3 to 22 of `/proc/PID/stat` (proc_pid_stat(5)); the name before them may hold anything.
    private static func statFields(of process: pid_t) -> [String]? {
        guard let bytes = contents("/proc/\(process)/stat", limit: 4096) else { return nil }
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[bytes.index(after: end)...].split(separator: UInt8(ascii: " ")).prefix(20)
        guard fields.count == 20 else { return nil }
        return fields.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func bundle(at path: String) -> AppIdentity.Bundle? {
        guard let bytes = contents(path, limit: 1 << 20) else { return nil }
        return try? PropertyListDecoder().decode(AppIdentity.Bundle.self, from: Data(bytes))
    }

    /// What a regular file holds; nil for one that is longer.
    private static func contents(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += buffer[..<count]
        }
        return nil
    }
}
