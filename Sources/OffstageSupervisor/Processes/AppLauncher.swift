// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
import OffstageFiles

/// Starts apps as children of the daemon, and finds those that an earlier daemon started.
package enum AppLauncher {
    /// The variable that identifies a launched process.
    package static let tokenVariable = "OFFSTAGE_LAUNCH"
    /// The length in bytes beyond which a launch shortens a log to its end.
    static let longestLog = 4 << 20
    static let keptLog = 1 << 20
    /// Milliseconds that a program may take to begin: less than the limit of a launch, so that the cause is reported.
    package static let patience: Int32 = 18_000

    /// Starts an app in its own session, with an empty standard input and its output appended to its log.
    ///
    /// Blocks for a millisecond or two, until its executable has begun, or up to `limit` if the executable or its
    /// folder is on an unresponsive mount. Wait for all children (`waitpid(-1)`) only on the calling thread: otherwise
    /// the exit of a process that ends immediately may be lost.
    ///
    /// - Parameters:
    ///   - executable: the program, from `AppExecutable`.
    ///   - arguments: all except the first, which is the executable.
    ///   - environment: the whole environment, with the token.
    ///   - workingDirectory: an absolute path.
    ///   - logPath: the log, made with its folder if necessary, accessible only to this user.
    ///   - cgroup: the cgroup to start in (`Freezer.make`); without permission it starts in the daemon's.
    ///   - limit: milliseconds after which a program that has not begun is killed.
    /// - Returns: the process, after its program has begun.
    /// - Throws: `LaunchError`, whose sentence goes into the app's story.
    package static func spawn(
        executable: AppExecutable,
        arguments: [String],
        environment: [String: String],
        workingDirectory: String,
        logPath: String,
        cgroup: String? = nil,
        limit: Int32 = patience
    ) throws(LaunchError) -> ProcessIdentity {
        let log = try AppLog.open(logPath)
        defer { close(log) }
        let group = cgroup.map { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) } ?? -1
        defer { if group >= 0 { close(group) } }
        var failure = offstage_spawn_failure()
        let path = executable.path
        let process = withCStrings([path] + arguments) { arguments in
            withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
                func spawn(in group: Int32) -> pid_t {
                    offstage_spawn_app(
                        executable.folder,
                        executable.name,
                        arguments,
                        variables,
                        workingDirectory,
                        log,
                        group,
                        limit,
                        &failure
                    )
                }
                let process = spawn(in: group)
                return process < 0 && failure.step == offstage_spawn_group ? spawn(in: -1) : process
            }
        }
        // The folder was held for as long as the child needed it.
        withExtendedLifetime(executable) {}
        guard process > 0 else {
            switch failure.step {
            case offstage_spawn_directory: throw .workingDirectory(workingDirectory, code: failure.error)
            case offstage_spawn_program: throw .executable(path, code: failure.error)
            case offstage_spawn_late: throw .tooLate(path, workingDirectory: workingDirectory)
            default: throw .process(code: failure.error)
            }
        }
        guard let status = ProcessStatus.read(process) else { throw .endedAtOnce(path) }
        return status.identity
    }

    /// The process launched with a token, by this daemon or an earlier one; nil if it has ended. Checks every process
    /// of this user.
    ///
    /// Its children have the token, too: the process itself is the one whose parent does not.
    package static func find(token: String) -> ProcessIdentity? {
        var found: [Int32: ProcessStatus] = [:]
        for number in SmallFile.numbers(in: "/proc") {
            guard ProcessFacts.variable(tokenVariable, of: number) == token,
                let status = ProcessStatus.read(number), !status.hasEnded
            else { continue }
            found[number] = status
        }
        return found.values.filter { found[$0.parent] == nil }
            .min { $0.identity.startedAt < $1.identity.startedAt }?.identity
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return body(copies)
    }
}
