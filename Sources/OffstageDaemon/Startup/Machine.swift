// SPDX-License-Identifier: Apache-2.0
package import OffstageAccounts
package import OffstageCore
import OffstageHost
import OffstageRuntime
package import OffstageSupervisor
package import OffstageWork

/// What the engines need from the machine they run on: the kernel's, or a test's.
package struct Machine: Sendable {
    /// Whether a host can be reached from here at all.
    package var networkProblem: @Sendable (_ host: String) -> NetworkProblem?
    /// The state of the network, for people.
    package var networkSummary: @Sendable () -> String
    /// The sources for power, load and the network's cost.
    package var sources: MachineSources
    /// A random number from 0 up to 1.
    package var jitter: @Sendable () -> Double
    /// The local time zone.
    package var zone: CivilZone
    /// The host of the apps' processes.
    package var processes: any ProcessHost
    /// Identifies the peer of a socket.
    package var peers: PeerReader
    /// Freezes apps where cgroups are delegated; nil for signals alone.
    package var freezer: Freezer?
    /// Collects the exit statuses of all children that have ended, and of one.
    package var reapAll: @Sendable () -> [(process: Int32, end: ProcessEnd)]
    package var reapOne: @Sendable (_ process: Int32) -> ProcessEnd?
    /// Sends a request for an account, and waits for the response.
    package var exchange: AccountCenter.Exchange
    /// Starts a shell command, with its output going to the log.
    package var runCommand: @Sendable (_ command: String, _ directory: String, [String: String]) -> Void
    /// Runs a shell command and returns its output; nil if it failed.
    package var readCommand: @Sendable (_ command: String, [String: String]) async -> String?
    /// Why nothing can be shown on a desktop; nil if it can.
    package var desktopProblem: @Sendable () -> String?
    /// Starts the program that shows notifications; returns nil, or why it cannot be started.
    package var startNotifier: @Sendable () -> String?

    package init(
        networkProblem: @escaping @Sendable (String) -> NetworkProblem?,
        networkSummary: @escaping @Sendable () -> String,
        sources: MachineSources,
        jitter: @escaping @Sendable () -> Double,
        zone: CivilZone,
        processes: any ProcessHost,
        peers: PeerReader,
        freezer: Freezer?,
        reapAll: @escaping @Sendable () -> [(process: Int32, end: ProcessEnd)],
        reapOne: @escaping @Sendable (Int32) -> ProcessEnd?,
        exchange: @escaping AccountCenter.Exchange,
        runCommand: @escaping @Sendable (String, String, [String: String]) -> Void,
        readCommand: @escaping @Sendable (String, [String: String]) async -> String?,
        desktopProblem: @escaping @Sendable () -> String?,
        startNotifier: @escaping @Sendable () -> String?
    ) {
        self.networkProblem = networkProblem
        self.networkSummary = networkSummary
        self.sources = sources
        self.jitter = jitter
        self.zone = zone
        self.processes = processes
        self.peers = peers
        self.freezer = freezer
        self.reapAll = reapAll
        self.reapOne = reapOne
        self.exchange = exchange
        self.runCommand = runCommand
        self.readCommand = readCommand
        self.desktopProblem = desktopProblem
        self.startNotifier = startNotifier
    }
}

extension Machine {
    /// This machine.
    ///
    /// - Parameters:
    ///   - network: receives the state of the network from the kernel.
    ///   - children: every child of the daemon.
    ///   - crashes: programs that have crashed the daemon too often are not examined.
    /// - Returns: the access to this machine.
    static func kernel(
        network: LoopOwned<NetworkMonitor>,
        children: LoopOwned<ChildProcesses>,
        crashes: CrashMemory
    ) -> Machine {
        Machine(
            networkProblem: { network.value.problem(reaching: $0) },
            networkSummary: { network.value.paths.summary },
            sources: MachineSources(),
            jitter: { Double.random(in: 0..<1) },
            zone: .ofThisMachine,
            processes: KernelProcesses(),
            peers: .kernel(crashes),
            freezer: Freezer.find(environment: ChildProcesses.environment()),
            reapAll: { children.value.reapAll() },
            reapOne: { children.value.reap($0) },
            exchange: { $0.run(isCancelled: $1) },
            runCommand: { children.value.run($0, in: $1, variables: $2) },
            readCommand: { command, variables in
                await withCheckedContinuation { continuation in
                    children.value.read(command, variables: variables) { continuation.resume(returning: $0) }
                }
            },
            desktopProblem: { NotifierProgram.find(ChildProcesses.environment()).problem },
            startNotifier: {
                NotifierProgram.start(ChildProcesses.environment()) { children.value.run($0, in: "/", variables: $1) }
            }
        )
    }
}
