// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol

/// The side of a connection that an app on stage uses.
extension DaemonConnection {
    /// Puts this process on stage.
    ///
    /// - Throws: `.inUse` when another process of the app is there, and what the connection throws.
    package func attach(_ view: StageView) throws(OffstageError) -> AttachApp.Reply { try send(AttachApp(view: view)) }

    /// Sends a report to the daemon; there is no answer.
    package func report(_ report: StageReport) throws(OffstageError) {
        let payload: [UInt8]
        do {
            payload = try WireCoding.encode(report)
        } catch {
            throw OffstageError(.internalError, "A report could not be written (\(error)): please report this.")
        }
        try tell(StageReport.name, payload)
    }

    /// The received commands that have not been taken yet, in order, without those that this version does not know.
    package func takeCommands() -> [StageCommand] {
        takeFrames().compactMap { frame in
            guard frame.kind == .event, frame.name == StageCommand.name else { return nil }
            return try? WireCoding.decodeFromDaemon(StageCommand.self, from: frame.payload)
        }
    }
}
