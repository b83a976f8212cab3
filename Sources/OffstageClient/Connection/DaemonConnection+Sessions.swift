// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// The side of a connection that background sessions use.
extension DaemonConnection {
    /// Makes the connection the app's.
    ///
    /// - Returns: what the daemon knows of the app, and the descriptor of a new hand-over journal, which is the caller's.
    package func openApp() throws(OffstageError) -> (app: OpenApp.Reply, journal: Int32) {
        let reply = try send(OpenApp())
        guard let descriptor = takeDescriptor() else {
            throw .noJournal
        }
        return (reply, descriptor)
    }
}

extension OffstageError {
    static var noJournal: OffstageError {
        OffstageError(.internalError, "The daemon gave no journal to the app: please report this.")
    }
}
