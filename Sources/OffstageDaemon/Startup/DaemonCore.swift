// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageRuntime
package import OffstageStore
package import OffstageTransfers

/// A daemon without its process: the engines, connected to each other, and the server in front of them. `Daemon` runs
/// it on this machine; a test runs it on a simulated machine, in virtual time.
package struct DaemonCore: Sendable {
    let engines: Engines
    let server: DaemonServer

    /// The parts of a daemon.
    package struct Parts {
        package var loop: EventLoop
        package var paths: OffstagePaths
        package var settings: Settings
        package var opened: SQLiteStore.Opened
        package var crashes: CrashMemory
        package var machine: Machine
        package var log: Log

        package init(
            loop: EventLoop,
            paths: OffstagePaths,
            settings: Settings,
            opened: SQLiteStore.Opened,
            crashes: CrashMemory,
            machine: Machine,
            log: Log
        ) {
            self.loop = loop
            self.paths = paths
            self.settings = settings
            self.opened = opened
            self.crashes = crashes
            self.machine = machine
            self.log = log
        }
    }

    /// The values that only the process knows.
    package struct Place: Sendable {
        /// The socket that clients connect to.
        package var listener: Int32
        package var startedBy: String
        /// The path at which clients reach the daemon; called on the loop.
        package var socketPath: @Sendable () -> String
        /// Requests that the daemon stop; called on the loop.
        package var requestStop: @Sendable () -> Void

        package init(
            listener: Int32,
            startedBy: String,
            socketPath: @escaping @Sendable () -> String,
            requestStop: @escaping @Sendable () -> Void
        ) {
            self.listener = listener
            self.startedBy = startedBy
            self.socketPath = socketPath
            self.requestStop = requestStop
        }
    }

    /// - Throws: `DaemonStartError` if the records cannot be read, or the system refuses threads.
    package init(_ parts: Parts, at place: Place) throws(DaemonStartError) {
        let base = Engines.Base(parts)
        let clock = base.clock
        let started = clock.now()
        engines = try Engines(base)
        parts.opened.store.endStart()
        server = DaemonServer(
            engines,
            listener: place.listener,
            information: DaemonInformation(
                paths: parts.paths,
                socketPath: place.socketPath,
                storeToken: parts.opened.storeToken,
                notices: { parts.opened.store.notices + parts.crashes.notices(now: clock.now()) },
                startedBy: place.startedBy,
                startedAt: started.wall,
                uptime: { clock.now().seconds(since: started) },
                network: parts.machine.networkSummary,
                desktopProblem: parts.machine.desktopProblem,
                requestStop: place.requestStop
            )
        )
    }

    /// Resumes the work of the daemon before, and admits clients. On the loop.
    ///
    /// - Parameter engine: carries out attempts, and reports to `engineReported`.
    package func begin(with engine: any TransferEngine) {
        let (sessions, announcer, clock) = (engines.sessions, engines.announcer, engines.base.clock)
        engines.base.store.chronicle.begin { clock.now().wall }
        announcer.assumeIsolated { $0.start() }
        engines.queue.assumeIsolated { queue in
            queue.setNewsSink { news in announcer.assumeIsolated { $0.announce(news) } }
            queue.setSessionSink { notice in sessions.assumeIsolated { $0.receive(notice) } }
            queue.begin(with: engine)
        }
        server.assumeIsolated { $0.start() }
    }

    /// Receives the reports of the transfer engine. On the loop.
    package func engineReported(_ events: [EngineEvent]) {
        engines.queue.assumeIsolated { $0.engineReported(events) }
    }

    /// Admits a client that is already known. On the loop.
    ///
    /// - Parameters:
    ///   - descriptor: its non-blocking socket; closed by the daemon.
    ///   - process: the number of its process.
    package func admit(_ descriptor: Int32, of process: Int32) {
        server.assumeIsolated { $0.admit(descriptor, of: process) }
    }

    /// Handles the end of child processes. On the loop.
    package func childrenChanged() { engines.apps.assumeIsolated { $0.childrenChanged() } }

    /// Brings everything to rest, and ends the loop. On the loop.
    package func shutDown() { server.assumeIsolated { $0.shutDown() } }
}

/// Why the engines cannot begin.
package enum DaemonStartError: Error, Sendable {
    case store(StoreError)
    case noThreads
}
