// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import Synchronization

/// The background sessions of this process that have not been invalidated: one for each identifier.
enum BackgroundSessions {
    private static let sessions = Mutex<[String: BackgroundURLSession]>([:])

    /// The session of the configuration's identifier: a new one, or the one that is there already.
    static func session(
        _ configuration: BackgroundConfiguration,
        delegate: (any FoundationNetworking.URLSessionDelegate)?,
        delegateQueue: OperationQueue?
    ) -> BackgroundURLSession {
        let identifier = configuration.identifier ?? ""
        let (session, isNew) = sessions.withLock { sessions in
            if let session = sessions[identifier] { return (session, false) }
            let session = BackgroundURLSession(configuration, delegateQueue: delegateQueue)
            sessions[identifier] = session
            return (session, true)
        }
        if isNew {
            session.core.begin(session, delegate: delegate)
        } else {
            let line = "A background URLSession with identifier \(identifier) already exists!\n"
            FileHandle.standardError.write(Data(line.utf8))
        }
        return session
    }

    static func remove(_ core: SessionCore) {
        sessions.withLock { sessions in
            if sessions[core.identifier]?.core === core { sessions[core.identifier] = nil }
        }
    }
}
