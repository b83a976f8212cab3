// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
import OffstageProtocol

/// Starts `offstaged` in the background and waits until it reports that it is ready.
///
/// The daemon gets a pipe, named by `OFFSTAGE_READY_FD`, and writes one line into it: `READY` once its socket answers,
/// `RUNNING` if another daemon holds the lock, or `ERROR` and a message before it gives up.
package struct DaemonLauncher {
    package enum Outcome: Sendable, Equatable {
        case ready
        case anotherIsRunning
    }

    private let paths: OffstagePaths
    private let environment: [String: String]
    /// The size in bytes above which a log is set aside.
    private static let longestLog: Int64 = 1 << 20
    /// Seconds that a daemon may take to start: a large store is checked first.
    package static let patience: Double = 120

    package init(paths: OffstagePaths, environment: [String: String]) {
        self.paths = paths
        self.environment = environment
    }

    /// Starts a daemon and waits for its report.
    ///
    /// - Parameters:
    ///   - seconds: how long to wait; the daemon continues to start afterwards.
    ///   - interruption: ends the wait.
    /// - Returns: whether this daemon or another one is running.
    /// - Throws: `.daemonNotFound`, `.daemonDidNotStart`, `.interrupted`.
    package func launch(
        within seconds: Double = patience,
        unless interruption: Interruption = .none
    ) throws(OffstageError) -> Outcome {
        let end = Wire.seconds() + seconds
        // A daemon that crashes on startup leaves a mark, and after a few marks the cause is set aside.
        for _ in 1..<Self.attempts {
            if let outcome = try launchOnce(within: max(0, end - Wire.seconds()), interruption) { return outcome }
        }
        guard let outcome = try launchOnce(within: max(0, end - Wire.seconds()), interruption) else {
            throw OffstageError(.daemonDidNotStart, try executable(), detail: "it ended at once")
        }
        return outcome
    }

    /// How often to start a daemon that ends without a report: once more than it takes to set aside the cause.
    private static let attempts = 5

    /// Returns nil if the daemon ended without a report.
    private func launchOnce(
        within seconds: Double,
        _ interruption: Interruption
    ) throws(OffstageError) -> Outcome? {
        let program = try executable()
        let log = try openLog()
        defer { close(log) }
        let (reader, writer) = try makePipe(program)
        defer { close(reader) }
        let result = spawn(program, log: log, ready: writer)
        close(writer)
        guard result == 0 else {
            throw OffstageError(.daemonDidNotStart, program, detail: String(cString: strerror(result)))
        }
        return try interpret(readLine(reader, within: seconds, interruption), program: program, seconds)
    }

    /// The version of the program that would be started.
    ///
    /// - Parameters:
    ///   - seconds: how long to wait for it.
    ///   - interruption: ends the wait.
    /// - Returns: the version; nil if there is no program, or it does not report its version.
    /// - Throws: `.interrupted`.
    func version(within seconds: Double, unless interruption: Interruption) throws(OffstageError) -> OffstageVersion? {
        guard let program = try? executable(), let (reader, writer) = try? makePipe(program) else { return nil }
        defer { close(reader) }
        let result = spawn(program, "--version", log: writer, ready: writer)
        close(writer)
        guard result == 0, let line = try readLine(reader, within: seconds, interruption) else { return nil }
        return line.split(separator: " ").last.flatMap { OffstageVersion(parsing: $0) }
    }

    private func interpret(
        _ line: String?,
        program: String,
        _ seconds: Double
    ) throws(OffstageError) -> Outcome? {
        guard let line else {
            let detail = "it was not ready within \(Int(seconds.rounded(.up))) s"
            throw OffstageError(.daemonDidNotStart, program, detail: detail)
        }
        if line == "READY" { return .ready }
        if line == "RUNNING" { return .anotherIsRunning }
        if line.hasPrefix("ERROR ") {
            throw OffstageError(.daemonDidNotStart, String(line.dropFirst(6)).redactedControls)
        }
        if line.isEmpty { return nil }
        throw OffstageError(.daemonDidNotStart, program, detail: "it said '\(line.redactedControls)'")
    }

    /// The daemon's program: `OFFSTAGED`, otherwise next to the running program, otherwise in `PATH`.
    package func executable() throws(OffstageError) -> String {
        if let named = environment["OFFSTAGED"], !named.isEmpty {
            guard access(named, X_OK) == 0 else {
                throw OffstageError(.daemonNotFound, "OFFSTAGED is \(named), which cannot be run")
            }
            return named
        }
        var candidates: [String] = []
        if let own = Self.ownPath(), let slash = own.lastSlash {
            candidates.append(own[..<slash] + "/offstaged")
        }
        for folder in (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":") {
            candidates.append(folder + "/offstaged")
        }
        guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else {
            throw OffstageError(.daemonNotFound, "looked beside this program and in PATH")
        }
        return found
    }

    private static func ownPath() -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    /// Opens the log for appending, on a descriptor above the ones that are replaced in the daemon.
    private func openLog() throws(OffstageError) -> Int32 {
        // checked: an index of this very text
        if let slash = paths.log.lastSlash { try Self.makeDirectories(String(paths.log[..<slash])) }
        var status = stat()
        if lstat(paths.log, &status) == 0, status.st_size > Self.longestLog { rename(paths.log, paths.log + ".1") }
        let opened = open(paths.log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else {
            let code = errno
            let advice =
                switch code {
                case EROFS: Self.otherPlace
                case ENOSPC, EDQUOT: "free some space there"
                case ELOOP, EISDIR, ENXIO: "move away what is in its place"
                default: "check the permissions of the file and of its folder"
                }
            throw OffstageError(
                .daemonDidNotStart,
                "The daemon's log \(paths.log) cannot be written (\(String(cString: strerror(code)))): \(advice)."
            )
        }
        return Self.raised(opened)
    }

    private func makePipe(_ program: String) throws(OffstageError) -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [0, 0]
        guard offstage_pipe(&ends) == 0 else {
            throw OffstageError(.daemonDidNotStart, program, detail: String(cString: strerror(errno)))
        }
        return (Self.raised(ends[0]), Self.raised(ends[1]))
    }

    /// Moves the descriptor to 10 or above, close-on-exec: 0 to 3 are replaced in the daemon.
    private static func raised(_ descriptor: Int32) -> Int32 {
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
        guard moved >= 0 else { return descriptor }
        close(descriptor)
        return moved
    }

    private func spawn(_ program: String, _ argument: String? = nil, log: Int32, ready: Int32) -> Int32 {
        var variables = DaemonEnvironment.ofDaemon(startedFrom: environment)
        variables["OFFSTAGE_READY_FD"] = "3"
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), argument.flatMap { strdup($0) }, nil]
        var entries: [UnsafeMutablePointer<CChar>?] = variables.map { entry in
            strdup("\(entry.key)=\(entry.value)")
        }
        entries.append(nil)
        defer { for pointer in arguments + entries { free(pointer) } }
        return offstage_spawn_daemon(program, &arguments, &entries, log, ready)
    }

    /// Reads one line, without its line break; empty if the pipe was closed, nil if the time has run out.
    private func readLine(
        _ descriptor: Int32,
        within seconds: Double,
        _ interruption: Interruption
    ) throws(OffstageError) -> String? {
        let end = Wire.seconds() + seconds
        var line: [UInt8] = []
        while line.count < 4096 {
            var entries = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let left = end - Wire.seconds()
            guard left > 0 else { return nil }
            guard poll(&entries, 2, Int32(left * 1000) + 1) > 0 else { continue }  // checked: a few minutes at most
            try interruption.check()
            var buffer = [UInt8](repeating: 0, count: 1024)
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            line += buffer[..<count]
            if line.contains(10) { break }
        }
        return String(decoding: line.prefix { $0 != 10 }, as: UTF8.self)
    }

    private static let otherPlace = "set HOME, or OFFSTAGE_HOME, to a folder that this user may write"

    /// Creates a folder and its parents, for this user only.
    ///
    /// - Throws: `.daemonDidNotStart` with the first folder that cannot be created.
    private static func makeDirectories(_ path: String) throws(OffstageError) {
        var status = stat()
        guard !path.isEmpty, stat(path, &status) != 0 else { return }
        if errno == ENOENT || errno == ENOTDIR, let slash = path.lastSlash {
            try makeDirectories(String(path[..<slash]))  // checked: an index of this very text
        }
        // Another command may create it at the same moment.
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        let code = errno
        let advice =
            switch code {
            case ENOSPC, EDQUOT: "free some space there"
            case ENOTDIR: "move away the file that is in the folder's place"
            default: otherPlace
            }
        throw OffstageError(
            .daemonDidNotStart,
            "The folder \(path) cannot be created (\(String(cString: strerror(code)))): \(advice)."
        )
    }
}
