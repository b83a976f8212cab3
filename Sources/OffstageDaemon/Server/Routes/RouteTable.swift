// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// All requests that the daemon answers.
package enum RouteTable {
    static let routes: [Route] =
        Route.ofTransfers + Route.ofAccounts + Route.ofOpenUploads + Route.ofDaemon + Route.ofSessions + Route.ofApps
        + Route.ofDeferredWork
        + Route.ofNotifications + Route.ofFleets

    private static let byName = Dictionary(routes.map { ($0.name, $0) }) { first, _ in first }

    /// The route of a request; nil if the name is unknown.
    static func route(_ name: String) -> Route? { byName[name] }

    /// The names of all requests, in the order of the table.
    package static var names: [String] { routes.map(\.name) }

    /// The table of requests in docs/wire-protocol.md.
    package static var document: String {
        let first = ["| `\(Hello.name)` | `\(Hello.self)` | exchanges versions |"]
        let rows = routes.map { "| `\($0.name)` | `\($0.request)` | \($0.summary) |" }
        let last = [
            "| `\(Ring.name)` | `\(Ring.self)` | reports new records in the journal; has no reply |",
            "| `\(StageReport.name)` | `\(StageReport.self)` | reports what an app's process has done; has no reply |",
        ]
        return (["| name | type | does |", "|---|---|---|"] + first + rows + last).joined(separator: "\n") + "\n"
    }
}
