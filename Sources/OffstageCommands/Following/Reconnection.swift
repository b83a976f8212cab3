// SPDX-License-Identifier: Apache-2.0
package import OffstageClient
import OffstageCore

/// Reconnects to a daemon that went away while a command followed it.
package enum Reconnection {
    private static let backoff = Backoff(first: 0.01, longest: 0.5)

    /// Reconnects, starting a daemon if that is allowed. Tries for some seconds.
    ///
    /// - Parameters:
    ///   - context: provides access to the daemon.
    ///   - error: how the connection was lost.
    ///   - signals: interrupts the tries, and each wait for an answer on the new connection.
    /// - Returns: the new connection.
    /// - Throws: `.interrupted`, or why the daemon cannot be reached.
    package static func connect(
        _ context: CommandContext,
        after error: OffstageError,
        unless signals: Interruption
    ) throws -> DaemonConnection {
        let connector = try context.connector(unless: signals)
        var last = error
        for attempt in 1...20 {
            do throws(OffstageError) {
                return try connector.connect()
            } catch {
                last = error
                let mayPass: [OffstageError.Code] = [
                    .connectionLost, .shuttingDown, .daemonUnreachable, .daemonSilent,
                    .tooManyConnections,
                ]
                guard mayPass.contains(error.code) else { throw error }
                // checked: half a second at most
                try signals.pause(milliseconds: Int32(backoff.delay(after: attempt) * 1000))
            }
        }
        throw last
    }
}
