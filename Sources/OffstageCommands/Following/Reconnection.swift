// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageClient
import OffstageCore

/// The way back to a daemon that went away while a command followed it.
package enum Reconnection {
    private static let backoff = Backoff(first: 0.01, longest: 0.5)

    /// Reconnects, starting a daemon if that is allowed; tries for some seconds.
    package static func connect(_ context: CommandContext, after error: OffstageError) throws -> DaemonConnection {
        let connector = try context.connector()
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
                usleep(UInt32(backoff.delay(after: attempt) * 1_000_000))
            }
        }
        throw last
    }
}
