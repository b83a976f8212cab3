// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// The side of a connection that background sessions use.
extension DaemonConnection {
    /// Makes this the app's connection.
    ///
    /// - Returns: the daemon's information about the app, and the descriptor of a new hand-over journal, which the
    ///   caller owns.
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
