// SPDX-License-Identifier: Apache-2.0

extension Migration {
    /// Checks without a cost: for `IN` with more than two values SQLite builds a temporary table for every row written,
    /// which took a third of the time of an insert.
    ///
    /// Only the text of the checks changes, not their meaning. For how to do that without copying the tables, see
    /// <https://www.sqlite.org/lang_altertable.html#otheralter>.
    static let constantChecks = Migration(
        version: 8,
        sql: """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(replace(replace(replace(sql,
                'kind IN (''queued'', ''waiting'', ''running'', ''paused'', ''finished'')',
                '\(check("kind", ["queued", "waiting", "running", "paused", "finished"]))'),
                'result IN (''completed'', ''failed'', ''cancelled'')',
                '\(check("result", ["completed", "failed", "cancelled"]))'),
                'kind IN (''refresh'', ''processing'', ''healthResearch'', ''continued'')',
                '\(check("kind", ["refresh", "processing", "healthResearch", "continued"]))'),
                'phase IN (0, 1, 2)', 'phase BETWEEN 0 AND 2')
                WHERE type = 'table' AND name IN ('transfers', 'tasks');
            -- Other connections read the schema again after a change of it that SQLite makes by itself.
            CREATE TABLE change_of_schema (number INTEGER) STRICT;
            DROP TABLE change_of_schema;
            PRAGMA writable_schema = RESET
            """,
        rewritesSchema: true
    )

    /// The condition within a text of SQL.
    private static func check(_ column: String, _ values: [String]) -> String {
        values.map { "\(column) = ''\($0)''" }.joined(separator: " OR ")
    }
}
