// SPDX-License-Identifier: Apache-2.0
package import OffstageCommands
import OffstageCore

extension FleetLimitCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let database = try context.open()
        if case .set(let host, let most) = request {
            try database.ask("SELECT offstage.limit_host($1, $2)", [host, most.map(String.init)])
        }
        let limits = try Limit.all(database)
        let shown = limits.filter { if case .set(let host, _) = request { $0.host == host } else { true } }
        if context.command.printsJSON {
            context.output.print(try JSONText.of(["limits": shown]))
        } else if case .set(let host, let most) = request {
            context.output.print(
                most.map { "The fleet has at most \(Format.count($0, "transfer")) with \(host) at a time." }
                    ?? "The fleet has no limit for \(host)."
            )
        } else if shown.isEmpty {
            context.output.print("No server has a limit.")
        } else {
            context.print(Limit.table(shown))
        }
        return .success
    }

    /// In `--json` output (docs/json.md).
    struct Limit: Encodable {
        let host: String
        let most: Int
        let running: Int

        init?(_ record: FleetRecord) {
            guard let host = record.text("name", longest: 253), let most = record.number("most", Counts.self) else {
                return nil
            }
            self.host = host.description
            self.most = most
            running = record.number("running", Counts.self) ?? 0
        }

        /// All servers with a limit.
        static func all(_ database: DatabaseClient) throws(DatabaseError) -> [Limit] {
            try database.ask("SELECT name, most, running FROM offstage.limits()").compactMap(Limit.init)
        }

        /// Limits as a table.
        static func table(_ limits: [Limit]) -> TextTable {
            var table = TextTable([
                .init("SERVER", isFlexible: true), .init("UNDER WAY", isRightAligned: true),
                .init("LIMIT", isRightAligned: true),
            ])
            table.rows = limits.map { [.init($0.host), .init("\($0.running)"), .init("\($0.most)")] }
            return table
        }
    }
}

extension FleetRulesCommand: FleetWork {
    package func work(_ context: FleetContext) throws -> ExitStatus {
        let database = try context.open()
        if case .set(let name, let labels, let rules) = request {
            try database.ask("SELECT offstage.set_policy($1, $2, $3)", [name, labels.array, rules])
        }
        let all = try database.ask("SELECT name, requires, version, rules FROM offstage.policy ORDER BY name")
            .compactMap(Rules.init)
        let shown = all.filter { if case .set(let name, _, _) = request { $0.name == name } else { true } }
        if context.command.printsJSON {
            context.output.print(try JSONText.of(["rules": shown]))
        } else if shown.isEmpty {
            context.output.print("The fleet has no rules.")
        } else {
            for rules in shown {
                let labels = rules.labels.isEmpty ? "all members" : rules.labels.joined(separator: ", ")
                context.output.print("\(rules.name)  \(labels)  \(rules.rules)")
            }
        }
        return .success
    }

    /// In `--json` output (docs/json.md).
    struct Rules: Encodable {
        let name: String
        let labels: [String]
        /// JSON, as text.
        let rules: String

        init?(_ record: FleetRecord) {
            guard let name = record.text("name", longest: 63), let rules = record.text("rules", longest: 65_536),
                let labels = record.labels("requires", most: FleetLabels.mostOfMember)
            else { return nil }
            self.name = name.description
            self.labels = labels.texts
            self.rules = rules.description
        }
    }
}

extension FleetContext {
    /// Prints a table that fits the terminal.
    func print(_ table: TextTable) {
        for line in table.lines(width: output.columns, usesColour: output.usesColour) { output.print(line) }
    }
}
