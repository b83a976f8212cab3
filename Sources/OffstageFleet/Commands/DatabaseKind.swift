// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore

/// The kind of server that speaks PostgreSQL's protocol, and whether it can hold a fleet (docs/fleet.md).
package enum DatabaseKind: Sendable, Equatable {
    /// With its major version.
    case postgreSQL(Int)
    /// With the major version of the PostgreSQL it is based on.
    case yugabyteDB(Int)
    case cockroachDB
    /// The server does not identify itself.
    case unknown

    /// - Parameters:
    ///   - version: the result of `version()`.
    ///   - number: the value of `server_version_num`, such as 150018.
    package init(version: String, number: Int) {
        if version.contains("CockroachDB") {
            self = .cockroachDB
        } else if version.hasPrefix("PostgreSQL") || version.hasPrefix("EnterpriseDB") {
            let major = number / 10_000
            self = version.contains("-YB-") ? .yugabyteDB(major) : .postgreSQL(major)
        } else {
            self = .unknown
        }
    }

    init(_ database: DatabaseClient) throws(DatabaseError) {
        let answer = try database.ask(
            "SELECT version() AS version, current_setting('server_version_num') AS number"
        ).first
        self.init(
            version: answer?.text("version", longest: 200)?.description ?? "",
            number: answer?.number("number", Counts.self) ?? 0
        )
    }

    private static let least = 13

    /// Why it cannot hold a fleet, in a sentence; nil if it can, as far as is known.
    package var refusal: String? {
        switch self {
        case .postgreSQL(Self.least...), .unknown: nil
        case .yugabyteDB(15...): nil
        case .postgreSQL(let major):
            "A fleet needs PostgreSQL \(Self.least) or later, and this is \(major): upgrade the server."
        case .yugabyteDB:
            "A fleet needs a YugabyteDB that is made of PostgreSQL 15 or later (2025.1): upgrade it."
        case .cockroachDB:
            "CockroachDB cannot hold a fleet: its PL/pgSQL has no loops over queries and no EXECUTE. Use PostgreSQL."
        }
    }
}
