// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore
import OffstageFiles
import OffstageProtocol
import Synchronization

/// The way to the daemon: connects to it, starts one if there is none, and replaces an older one.
package struct DaemonConnector {
    private let paths: OffstagePaths
    private let launcher: DaemonLauncher
    private let client: String
    /// Seconds that another daemon may take to start or to end.
    private static let longestWait = 10.0
    /// Seconds until a daemon has restored its socket after the socket was removed, perhaps along with its folders.
    private static let socketReturn = 3.0
    /// Seconds after which waiting is reported.
    private static let patienceWithoutWord = 2.5
    /// Whether a daemon may be started.
    package var startsDaemon: Bool
    /// Seconds to wait for each answer.
    package var patience: Double = 60
    /// Receives a message when a daemon exists but is slow to answer.
    package var onSilence: ((String) -> Void)?
    /// Ends every wait of the connector, and of the connection that it makes.
    package var interruption = Interruption.none
    /// The sockets at which replacing a daemon was useless because the new one is no newer. Each attempt would
    /// interrupt all transfers.
    private static let vainReplacements = Mutex<Set<String>>([])
    /// Seconds that a program may take to report its version.
    private static let patienceForVersion = 5.0
    /// When to give up, on the clock of `Wire`; nil means never.
    private var end: Double?

    /// - Parameters:
    ///   - paths: the daemon's paths.
    ///   - environment: the environment for a newly started daemon.
    ///   - client: the name of the connecting program, for the daemon's log.
    ///   - startsDaemon: whether a daemon may be started.
    package init(paths: OffstagePaths, environment: [String: String], client: String, startsDaemon: Bool) {
        self.paths = paths
        self.client = client
        self.startsDaemon = startsDaemon
        launcher = DaemonLauncher(paths: paths, environment: environment)
    }

    /// Like `connect()`, but gives up after a number of seconds, whatever it is waiting for.
    package func connect(within seconds: Double) throws(OffstageError) -> DaemonConnection {
        var connector = self
        connector.end = Wire.seconds() + seconds
        return try connector.connect()
    }

    /// The remainder of a number of seconds.
    private func left(of seconds: Double) -> Double {
        end.map { max(0, min(seconds, $0 - Wire.seconds())) } ?? seconds
    }

    /// Returns a connection after the handshake.
    ///
    /// - Throws: `.daemonUnreachable`, `.daemonNotFound`, `.daemonDidNotStart`, `.incompatible`, `.untrusted`,
    ///   `.interrupted` and the daemon's own refusals.
    package func connect() throws(OffstageError) -> DaemonConnection {
        let connection = try reach()
        guard connection.daemon.version < .current else { return connection }
        guard startsDaemon else { return try usable(connection, advice: "leave out --no-start to have it replaced") }
        guard try isNewerThere(than: connection.daemon.version) else {
            return try usable(connection, advice: Self.sameVersions)
        }
        return try replace(connection)
    }

    private static let sameVersions = "install the same version of offstage and offstaged"

    /// Accepts an older daemon that is not replaced.
    private func usable(_ old: DaemonConnection, advice: String) throws(OffstageError) -> DaemonConnection {
        if old.daemon.protocolVersion == Hello.protocolVersion { return old }
        throw OffstageError(
            .incompatible,
            "The daemon is Offstage \(old.daemon.version), older than this \(OffstageVersion.current): \(advice)."
        )
    }

    /// Whether the program that would be started is newer than the running daemon.
    private func isNewerThere(than version: OffstageVersion) throws(OffstageError) -> Bool {
        guard !Self.vainReplacements.withLock({ $0.contains(paths.socket) }) else { return false }
        let seconds = left(of: Self.patienceForVersion)
        return try launcher.version(within: seconds, unless: interruption).map { $0 > version } ?? false
    }

    /// Makes an older daemon release everything, and starts our daemon in its place.
    private func replace(_ old: DaemonConnection) throws(OffstageError) -> DaemonConnection {
        _ = try old.send(HandOver(), within: left(of: patience))
        try old.waitUntilClosed(seconds: left(of: patience))
        let connection = try reach()
        guard connection.daemon.version <= old.daemon.version else { return connection }
        // This happens when systemd starts a program other than the one whose version was requested.
        Self.vainReplacements.withLock { _ = $0.insert(paths.socket) }
        return try usable(connection, advice: Self.sameVersions)
    }

    private func reach() throws(OffstageError) -> DaemonConnection {
        if let connection = try attempt() { return connection }
        guard startsDaemon else {
            return try awaitSocket(until: Wire.seconds() + left(of: Self.socketReturn))
        }
        let end = Wire.seconds() + left(of: Self.longestWait)
        repeat {
            let outcome = try launcher.launch(within: left(of: DaemonLauncher.patience), unless: interruption)
            // Another daemon that holds the lock is either starting or ending: its address is looked up again until
            // either has happened.
            let next = Wire.seconds() + (outcome == .ready ? 1 : 0.2)
            repeat {
                if let connection = try attempt() { return connection }
                try interruption.pause(milliseconds: 5)
            } while Wire.seconds() < next
        } while Wire.seconds() < end
        throw silence
    }

    /// The message while waiting for a daemon.
    private var waiting: String {
        guard let process = LockFile.address(in: paths.lock)?.process, LockFile.isDaemon(process) else {
            return "The daemon at \(paths.socket) does not answer yet: waiting for it."
        }
        guard !LockFile.isStopped(process) else { return silence.description }
        return
            "The daemon, process \(process), does not answer yet: waiting for it; 'kill \(process)' ends one that hangs, and nothing that was queued is lost."
    }

    /// Waits for a daemon that holds the lock, without starting one.
    private func awaitSocket(until end: Double) throws(OffstageError) -> DaemonConnection {
        while LockFile.isHeld(paths.lock) {
            if let connection = try attempt() { return connection }
            guard Wire.seconds() < end else { throw silence }
            try interruption.pause(milliseconds: 20)
        }
        throw OffstageError(.daemonUnreachable, paths.socket)
    }

    /// The error for a missing answer after a number of seconds, from a daemon that has the request or could not be
    /// reached.
    func lateness(_ seconds: Double, isAsked: Bool) -> OffstageError {
        guard isAsked || !LockFile.isHeld(paths.lock) else { return silence }
        return OffstageError(.timedOut, paths.socket, detail: "it was given \(Int(seconds.rounded(.up))) s")
    }

    /// The error for a daemon that exists but cannot be reached.
    private var silence: OffstageError {
        let sentence =
            if let process = LockFile.address(in: paths.lock)?.process, LockFile.isDaemon(process) {
                LockFile.isStopped(process)
                    ? "The daemon, process \(process), is stopped and does not answer: 'kill -CONT \(process)' continues it."
                    : "The daemon, process \(process), is running but does not answer: end it with 'kill \(process)'; the next command starts another, and nothing that was queued is lost."
            } else {
                "A daemon holds \(paths.lock) but does not answer yet: try again shortly, or see 'offstage daemon log'."
            }
        return OffstageError(.daemonSilent, sentence)
    }

    /// Makes one attempt; nil if no daemon is listening.
    ///
    /// The address written by a daemon comes first: the daemon's environment may have given it a socket other than
    /// ours, and systemd may be waiting at ours to start a second daemon.
    private func attempt() throws(OffstageError) -> DaemonConnection? {
        if let noted = LockFile.address(in: paths.lock)?.socket, noted != paths.socket {
            do throws(OffstageError) {
                if let connection = try attempt(at: noted) { return connection }
            } catch {
                // An address left behind by a daemon that has ended may be anywhere.
                guard error.code == .untrusted || error.code == .daemonUnreachable else { throw error }
            }
        }
        return try attempt(at: paths.socket)
    }

    private func attempt(at path: String) throws(OffstageError) -> DaemonConnection? {
        try SocketFolder.check(socket: path)
        let socket: UnixSocket
        do throws(UnixSocket.Failure) {
            socket = try UnixSocket(connectingTo: path)
        } catch {
            switch error.code {
            case ENOENT, ECONNREFUSED, ENOTDIR: return nil
            case EAGAIN:
                throw OffstageError(
                    .tooManyConnections,
                    "The daemon has too many connections waiting: try again shortly."
                )
            default: throw OffstageError(.daemonUnreachable, path, detail: error.text)
            }
        }
        // Checked before anything is sent: this socket may carry a password.
        guard let peer = socket.peer, peer == geteuid() else {
            let owner = socket.peer.map(UserNames.description) ?? "an unknown user"
            throw OffstageError(
                .untrusted,
                "The daemon at \(path) belongs to \(owner): nothing was sent to it; unset XDG_RUNTIME_DIR, or set OFFSTAGE_HOME to a folder of your own."
            )
        }
        do throws(OffstageError) {
            return try DaemonConnection(
                socket,
                path: path,
                client: client,
                patience: patience,
                greeting: left(of: patience),
                interruption: interruption,
                silence: (Self.patienceWithoutWord, { onSilence?(waiting) })
            )
        } catch {
            if error.code == .timedOut, LockFile.isHeld(paths.lock) { throw silence }
            // A daemon that has been killed accepts connections until the kernel has closed its socket.
            if error.code == .connectionLost { return nil }
            // A daemon that is about to exit counts as gone.
            if error.code == .shuttingDown, startsDaemon { return nil }
            if error.code == .incompatible {
                throw OffstageError(
                    .incompatible,
                    "\(error.subject) This is offstage \(OffstageVersion.current): update it to the daemon's version."
                )
            }
            throw error
        }
    }
}
