// SPDX-License-Identifier: Apache-2.0
import OffstageFleet
import Testing

/// The meaning of a SQLSTATE for the caller.
struct DatabaseErrorTests {
    @Test(arguments: [
        ("OS001", DatabaseError.Kind.fenced), ("OS002", .another), ("OS003", .version), ("40001", .contention),
        ("40P01", .contention), ("55P03", .contention), ("08006", .connection), ("57P01", .connection),
        ("25006", .connection), ("42501", .rights), ("53100", .trouble), ("53300", .trouble), ("57014", .trouble),
        ("58030", .trouble), ("XX000", .trouble), ("40003", .trouble), ("25P02", .trouble), ("42883", .refused),
        ("22021", .refused), ("23514", .refused), ("", .refused), ("ü", .refused), ("5", .refused),
    ]) func `each has its kind`(code: String, kind: DatabaseError.Kind) {
        let error = DatabaseError(code: code, message: "no")
        #expect(error.kind == kind && error.description == "no")
        // Only invalid values would remain invalid later.
        #expect(error.isOfValues == ["22021", "23514"].contains(code))
    }
}
