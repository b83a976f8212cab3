// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The emulator on a port of 127.0.0.1, in the process that creates it. Thread-safe.
package final class DropboxEmulatorServer: Sendable {
    package struct Configuration: Sendable {
        /// 0 for any free port.
        package var port: UInt16 = 0
        /// Where the bytes of sessions and files are kept; nil for a temporary folder that is removed with the server.
        package var folder: String?
        /// Whether bytes are hashed and then discarded: files have their size and hash, but cannot be downloaded.
        package var discards = false
        /// Certificate and key in PEM; nil for plain HTTP.
        package var security: (certificate: String, key: String)?
        /// App keys with their secrets, empty for an app without one. An empty dictionary accepts any app key.
        package var apps: [String: String] = [:]
        package var rules = DropboxRules()
        /// The seed of identifiers and tokens.
        package var seed: UInt64 = 1
        /// Called with the head of each request to Dropbox before anything is done or counted. Runs on the connection's
        /// own thread, which it may block.
        package var onRequest: (@Sendable (EmulatorRequest) -> Void)?

        package init() {}
    }

    private let edge: EmulatorEdge
    private let server: HTTPServer
    private let hasStopped = Mutex(false)
    package let port: UInt16
    /// `http://127.0.0.1:1234`, without a trailing slash.
    package let address: String

    /// Starts listening.
    ///
    /// - Throws: `DropboxEmulatorError` if the port is taken, the folder cannot be created or the certificate is
    ///   invalid.
    package init(_ configuration: Configuration = Configuration()) throws(DropboxEmulatorError) {
        let dropbox = EmulatedDropbox(rules: configuration.rules, apps: configuration.apps, seed: configuration.seed)
        let folder = configuration.discards ? nil : try SegmentFolder(configuration.folder)
        do throws(DropboxEmulatorError) {
            edge = try EmulatorEdge(dropbox, folder: folder, onRequest: configuration.onRequest)
            server = try HTTPServer(port: configuration.port, security: configuration.security, edge: edge)
        } catch {
            // A server whose `init` failed is never stopped.
            folder?.removeOwn()
            throw error
        }
        port = server.port
        let address = "\(configuration.security == nil ? "http" : "https")://127.0.0.1:\(server.port)"
        self.address = address
        edge.with { state, _ in state.dropbox.address = address }
    }

    deinit { stop() }

    /// Ends all connections, frees the port and removes the stored bytes.
    package func stop() {
        let isFirst = hasStopped.withLock { stopped in
            defer { stopped = true }
            return !stopped
        }
        guard isFirst else { return }
        server.stop()
        edge.reset()
        edge.folder?.removeOwn()
    }

    package var record: EmulatorRecord { edge.with { state, _ in state.dropbox.record } }
    /// The files of the main account, sorted by path.
    package var files: [EmulatedFile] { edge.with { state, _ in state.dropbox.files() } }

    /// The file at a path of the main account, case-insensitively.
    package func file(_ path: String) -> EmulatedFile? { edge.with { state, _ in state.dropbox.file(path) } }

    /// Replaces the faults; the seed is for probabilities.
    package func setFaults(_ rules: [DropboxFaultRule], seed: UInt64 = 1) {
        edge.with { state, _ in state.dropbox.faults = DropboxFaultPlan(rules, seed: seed) }
    }

    /// How often the current faults have occurred.
    package var faultsUsed: Int { edge.with { state, _ in state.dropbox.faults.used } }

    /// Changes the rules.
    package func setRules(_ change: @Sendable (inout DropboxRules) -> Void) {
        edge.with { state, _ in change(&state.dropbox.rules) }
    }

    /// Issues an access token and a refresh token without the authorize page. The access token lasts so many seconds,
    /// or as long as the rules say.
    package func issueToken(
        account: String = EmulatedDropbox.mainAccount,
        client: String = "app",
        scopes: [String]? = nil,
        lifetime: Double? = nil
    ) -> (access: String, refresh: String) {
        let json = edge.with { state, now in
            state.dropbox.issueToken(account: account, client: client, scopes: scopes, lifetime: lifetime, now: now)
        }
        return (json["access_token"].string ?? "", json["refresh_token"].string ?? "")
    }

    /// Advances the emulator's clock by so many seconds.
    package func advance(_ seconds: Double) {
        edge.with { state, _ in state.lead += seconds }
    }

    /// Forgets files, sessions, tokens, faults and the record. Keeps the rules.
    package func reset() {
        edge.reset()
    }
}
