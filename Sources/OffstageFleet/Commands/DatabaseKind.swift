// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore

/// What speaks PostgreSQL's protocol at the other end, and whether it can hold a fleet (docs/fleet.md).
package enum DatabaseKind: Sendable, Equatable {
    /// With its major version.
    case postgreSQL(Int)
    /// With that of the PostgreSQL that it is made of.
    case yugabyteDB(Int)
    case cockroachDB
    /// It does not say.
    case unknown

    /// - Parameters:
    ///   - version: what `version()` says.
    ///   - number: what `server_version_num` says: 150018.
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
