// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The host of apps' processes: identifies, starts and holds processes. Either the kernel, or a test's machine.
///
/// Calls may come from any thread. They block where stated.
package protocol ProcessHost: Sendable {
    /// Identifies the peer of a connection, and how it was started. Blocks.
    ///
    /// - Parameters:
    ///   - process: the peer's number, from its credentials.
    ///   - pidfd: the peer itself, or -1 if the kernel provides none; closed here.
    ///   - variables: the names of further environment variables to record.
    /// - Returns: nil if the process has ended, or hides its program.
    func facts(of process: Int32, pidfd: Int32, variables: [String]) -> AppFacts?
    /// Takes hold of a process; nil if it has ended, even if a later one has its number.
    func hold(_ process: ProcessIdentity) -> (any HeldProcess)?
    /// Inspects an app's executable before it is started. Blocks, indefinitely on an unresponsive mount.
    ///
    /// - Returns: a function that starts it, which blocks for a limited time.
    func prepare(_ executable: String) throws(LaunchError) -> Launch
    /// The process that was launched with a token, by this daemon or an earlier one; nil if it has ended. Blocks.
    func process(launchedWith token: String) -> ProcessIdentity?
    /// The process that traces another, such as a debugger; nil for none.
    func tracer(of process: Int32) -> Int32?

    typealias Launch = @Sendable (LaunchOrder) throws(LaunchError) -> ProcessIdentity
}

/// How an app is started.
package struct LaunchOrder: Sendable {
    /// All arguments except the first, which is the executable.
    package var arguments: [String]
    /// The whole environment, without the token.
    package var environment: [String: String]
    /// Identifies the process for a later daemon.
    package var token: String
    /// An absolute path.
    package var workingDirectory: String
    /// The file that its output is appended to.
    package var logPath: String
    /// The cgroup to start in; nil for the daemon's.
    package var cgroup: String?
}

/// A process that is held: every action reaches either that process or none.
package protocol HeldProcess: Sendable {
    var identity: ProcessIdentity { get }
    /// Becomes readable once the process has ended; open for as long as this is held.
    var descriptor: Int32 { get }
    /// Whether it leads a group that is stopped, continued and killed with it, by a few system calls.
    var leadsGroup: Bool { get }
    func stop()
    func resume()
    func kill()
    /// Whether all its processes are stopped; nil once it has ended.
    func isStopped() -> Bool?
    /// Whether it is stopped, and whether its group is in front of its terminal; nil without a terminal, and once it
    /// has ended.
    func terminalStanding() -> (isStopped: Bool, isInFront: Bool)?
    func setPriority(isBackground: Bool)
}
