// SPDX-License-Identifier: Apache-2.0
import OffstageFleet
import Testing

/// Which databases can hold a fleet.
@Suite struct DatabaseKindTests {
    @Test(
        arguments: [
            ("PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu", 150_018, .postgreSQL(15), nil),
            ("PostgreSQL 13.0", 130_000, .postgreSQL(13), nil), ("EnterpriseDB 17.2", 170_002, .postgreSQL(17), nil),
            ("PostgreSQL 12.9", 120_009, .postgreSQL(12), "needs PostgreSQL 13 or later, and this is 12"),
            ("PostgreSQL 15.12-YB-2025.2.3.0-b1 on x86_64", 150_012, .yugabyteDB(15), nil),
            ("PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64", 110_002, .yugabyteDB(11), "PostgreSQL 15 or later"),
            ("CockroachDB CCL v25.4.0 (x86_64-pc-linux-gnu)", 130_000, .cockroachDB, "CockroachDB cannot hold a fleet"),
            ("", 0, .unknown, nil), ("Something 3", -1, .unknown, nil),
        ] as [(String, Int, DatabaseKind, String?)]
    )
    func `what a database says of itself`(version: String, number: Int, kind: DatabaseKind, refusal: String?) {
        let found = DatabaseKind(version: version, number: number)
        #expect(found == kind)
        if let refusal {
            #expect(found.refusal?.contains(refusal) == true)
        } else {
            #expect(found.refusal == nil)
        }
    }
}
