// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Where apps run: says who a process is, starts processes, and takes hold of them. The kernel, or a test's machine.
///
/// Calls may come from any thread. Those that say so block.
package protocol ProcessHost: Sendable {
    /// Who is at the other end of a connection, and how it was started. Blocks.
    ///
    /// - Parameters:
    ///   - process: the peer's number, from its credentials.
    ///   - pidfd: the peer itself, where the kernel gives one out, otherwise -1; closed here.
    ///   - variables: names of what else is recorded of its environment.
    /// - Returns: nil when the process has gone, or hides what it runs.
    func facts(of process: Int32, pidfd: Int32, variables: [String]) -> AppFacts?
    /// Takes hold of a process; nil when it has ended, even if a later one has its number.
    func hold(_ process: ProcessIdentity) -> (any HeldProcess)?
    /// Looks at an app's executable before it is started. Blocks, for ever on a mount that does not answer.
    ///
    /// - Returns: starts it. Blocks for a while at most.
    func prepare(_ executable: String) throws(LaunchError) -> Launch
    /// The process that was launched with a token, by this daemon or one before; nil when it is no more. Blocks.
    func process(launchedWith token: String) -> ProcessIdentity?
    /// The process that traces another, such as a debugger; nil for none.
    func tracer(of process: Int32) -> Int32?

    typealias Launch = @Sendable (LaunchOrder) throws(LaunchError) -> ProcessIdentity
}

/// How an app is started.
package struct LaunchOrder: Sendable {
    /// Without the first, which is the executable.
    package var arguments: [String]
    /// The whole, without the token.
    package var environment: [String: String]
    /// By which the process is known to a daemon after this one.
    package var token: String
    /// An absolute path.
    package var workingDirectory: String
    /// Where what it prints is appended to.
    package var logPath: String
    /// Where it is born; nil for where the daemon is.
    package var cgroup: String?
}

/// A process that is held: whatever is done to it reaches that process, or nobody.
package protocol HeldProcess: Sendable {
    var identity: ProcessIdentity { get }
    /// Becomes readable once the process has ended; open for as long as this is held.
    var descriptor: Int32 { get }
    /// Whether it leads a group that is stopped, continued and killed with it, by a few system calls.
    var leadsGroup: Bool { get }
    func stop()
    func resume()
    func kill()
    /// Whether all of it is stopped; nil once it has ended.
    func isStopped() -> Bool?
    /// Whether it is stopped, and whether its group is in front of its terminal; nil without one, and once it has ended.
    func terminalStanding() -> (isStopped: Bool, isInFront: Bool)?
    func setPriority(isBackground: Bool)
}
