// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageCore
import Synchronization

/// The background sessions of this process that have not been invalidated, one per identifier.
enum BackgroundSessions {
    private struct Key: Hashable {
        var daemon: String
        var identifier: String

        init(_ core: SessionCore) { self.init(core.hub, core.identifier) }

        init(_ hub: SessionHub, _ identifier: String) {
            daemon = hub.link.paths?.socket ?? ""
            self.identifier = identifier
        }
    }

    private static let sessions = Mutex<[Key: BackgroundURLSession]>([:])

    /// Returns the session with the configuration's identifier, new or existing. The environment determines the daemon.
    static func session(
        _ configuration: BackgroundConfiguration,
        delegate: (any FoundationNetworking.URLSessionDelegate)?,
        delegateQueue: OperationQueue?,
        environment: [String: String] = OriginalEnvironment.variables,
        isSupervised: Bool = LaunchEvents.isSupervised
    ) -> BackgroundURLSession {
        let identifier = configuration.identifier ?? ""
        let hub = SessionHub.shared(environment)
        let key = Key(hub, identifier)
        let (session, isNew) = sessions.withLock { sessions in
            if let session = sessions[key] { return (session, false) }
            let session = BackgroundURLSession(
                configuration,
                delegateQueue: delegateQueue,
                hub: hub,
                isSupervised: isSupervised
            )
            sessions[key] = session
            return (session, true)
        }
        if isNew {
            session.core.begin(session, delegate: delegate)
        } else {
            StandardError.write("A background URLSession with identifier \(identifier) already exists!")
        }
        return session
    }

    /// The sessions with an identifier: one for each daemon that the process uses.
    static func all(_ identifier: String) -> [BackgroundURLSession] {
        sessions.withLock { sessions in sessions.filter { $0.key.identifier == identifier }.map(\.value) }
    }

    static func remove(_ core: SessionCore) {
        sessions.withLock { sessions in
            let key = Key(core)
            if sessions[key]?.core === core { sessions[key] = nil }
        }
    }
}
