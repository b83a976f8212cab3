// SPDX-License-Identifier: Apache-2.0
import COffstageFleet

/// One step of the schema of a fleet's database: SQL that is part of this program, and never external input.
package struct SchemaStep: Sendable {
    package let version: Int
    let sql: String

    /// All steps in order, numbered from 1 without gaps.
    package static let all: [SchemaStep] = (0..<offstage_fleet_migration_count()).compactMap { index in
        guard let step = offstage_fleet_migration_at(index) else { return nil }
        let bytes = UnsafeBufferPointer(start: step.pointee.sql, count: step.pointee.count)
        return SchemaStep(version: Int(step.pointee.version), sql: String(decoding: bytes, as: UTF8.self))
    }

    /// The step and its number. Statements sent together are one transaction, which is atomic even in a crash.
    var transaction: String { "\(sql)\nINSERT INTO offstage.migration (version) VALUES (\(version));" }
}
