// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageRuntime
package import OffstageStore
package import OffstageTransfers

/// All of a daemon but its process: the engines, wired to each other, and the server before them. `Daemon` runs it on this
/// machine; a test runs it on a machine of its own, in virtual time.
package struct DaemonCore: Sendable {
    let engines: Engines
    let server: DaemonServer

    /// What a daemon is made of.
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

    /// What only the process knows.
    package struct Place: Sendable {
        /// The socket at which clients come.
        package var listener: Int32
        package var startedBy: String
        /// Where clients reach the daemon; called on the loop.
        package var socketPath: @Sendable () -> String
        /// Somebody has asked the daemon to stop; called on the loop.
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

    /// - Throws: `DaemonStartError` when what is on record cannot be read, or the system gives no threads.
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

    /// Takes up what the daemon before left, and lets clients in. On the loop.
    ///
    /// - Parameter engine: carries attempts out, and reports to `engineReported`.
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

    /// Takes what the engine of transfers reports. On the loop.
    package func engineReported(_ events: [EngineEvent]) {
        engines.queue.assumeIsolated { $0.engineReported(events) }
    }

    /// Lets a client in that is known already. On the loop.
    ///
    /// - Parameters:
    ///   - descriptor: its socket, which does not block; closed by the daemon.
    ///   - process: the number of its process.
    package func admit(_ descriptor: Int32, of process: Int32) {
        server.assumeIsolated { $0.admit(descriptor, of: process) }
    }

    /// Children of the daemon have ended. On the loop.
    package func childrenChanged() { engines.apps.assumeIsolated { $0.childrenChanged() } }

    /// Brings everything to rest, and ends the loop. On the loop.
    package func shutDown() { server.assumeIsolated { $0.shutDown() } }
}

/// Why the engines cannot begin.
package enum DaemonStartError: Error, Sendable {
    case store(StoreError)
    case noThreads
}
