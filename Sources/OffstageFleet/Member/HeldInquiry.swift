// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Asks the database which rows a member holds, and for the details of unknown ones. An answer may have been lost, or
/// an earlier process of the member may have held them.
struct HeldInquiry {
    struct Found {
        /// Leases that the member knew when it asked, but that the database does not have.
        var lost: [FleetGrant]
        /// The rows that the member did not know.
        var rows: [HeldRow] = []
    }

    typealias Answer = (Result<Found, DatabaseError>) -> Void

    /// The most rows in one question, as their specifications may be long.
    private static let mostFetched = 200

    private let database: MemberDatabase
    private let identity: MemberIdentity

    init(_ database: MemberDatabase, _ identity: MemberIdentity) {
        self.database = database
        self.identity = identity
    }

    /// - Parameters:
    ///   - beat: the number of this question. Turns with a lower number no longer take rows.
    ///   - known: rows whose details are not needed.
    ///   - then: receives the answer, once.
    func run(beat: String, known: Set<FleetGrant>, then: @escaping Answer) {
        database.ask("SELECT * FROM offstage.held($1, $2, $3)", me + [beat]) { result in
            switch result {
            case .failure(let error): then(.failure(error))
            case .success(let records):
                let grants = Set(records.compactMap { FleetGrant(row: $0.raw("id"), fence: $0.raw("fence")) })
                let found = Found(lost: known.subtracting(grants).sorted())
                let begun = Set(records.filter { $0.flag("is_begun") != false }.map { $0.raw("id") ?? "" })
                fetch(grants.subtracting(known).sorted()[...], begun: begun, found, then)
            }
        }
    }

    private var me: [String?] { ["\(identity.member)", "\(identity.incarnation)"] }

    private func fetch(_ grants: ArraySlice<FleetGrant>, begun: Set<String>, _ found: Found, _ then: @escaping Answer) {
        guard !grants.isEmpty else { return then(.success(found)) }
        let some = grants.prefix(Self.mostFetched)
        database.ask("SELECT * FROM offstage.leased($1, $2, $3)", me + [FleetArray.numbers(some.map(\.row))]) {
            result in
            switch result {
            case .failure(let error): then(.failure(error))
            case .success(let records):
                var found = found
                for record in records {
                    let isBegun = begun.contains(record.raw("id") ?? "")
                    if let row = HeldRow(record, now: MemberClock.seconds, isOld: true, isBegun: isBegun),
                        some.contains(row.grant)
                    {
                        found.rows.append(row)
                    }
                }
                fetch(grants.dropFirst(some.count), begun: begun, found, then)
            }
        }
    }
}
