// SPDX-License-Identifier: Apache-2.0

/// A possible cause of the daemon's traps: its own work, which begins again at every start.
package enum CrashSuspect: Sendable, Hashable, Codable {
    case transfer(TransferID)
    /// By the app's identifier.
    case app(String)
    /// By the name of its file.
    case journal(String)

    /// For a sentence: `transfer 17`.
    package var name: String {
        switch self {
        case .transfer(let id): "transfer \(id)"
        case .app(let app): "the app \(app.redactedControls)"
        case .journal(let name): "the journal \(name.redactedControls)"
        }
    }
}
