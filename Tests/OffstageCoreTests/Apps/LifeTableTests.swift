// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// Every event in every state, checked against the table.
@Suite struct LifeTableTests {
    @Test func `every event in every situation leads where the table says`() {
        let rows = Dictionary(LifeTable.rows.map { ($0.event, $0) }) { first, _ in first }
        for (name, event) in LifeEvents.all {
            guard let row = rows[name] else {
                Issue.record("The table says nothing of \(name).")
                continue
            }
            for situation in LifeSituation.allCases {
                guard let expected = row.cells[situation] else {
                    Issue.record("The table does not say what \(name) is to an app that is \(situation.rawValue).")
                    continue
                }
                #expect(outcome(of: event, in: situation) == expected, "\(name), \(situation.rawValue)")
            }
        }
    }

    @Test func `the table has one row for each event, with a source, and knows no other situations`() {
        let rows = LifeTable.rows
        #expect(rows.map(\.event).sorted() == LifeEvents.all.map(\.name).sorted())
        for row in rows {
            #expect(row.mistakes.isEmpty, "\(row.event)")
            #expect(row.source.contains("uikit/") || row.source.contains("foundation/") || row.source.contains("ours"))
        }
    }

    @Test func `the situations cover all states`() {
        #expect(Set(LifeSituation.allCases.map { $0.stage.life.state }) == Set(LifeState.allCases))
    }

    private func outcome(of event: AppEvent, in situation: LifeSituation) -> String {
        guard let outcome = LifeEvents.outcome(of: event, in: situation) else { return "nothing" }
        let next = outcome.state == situation.stage.life.state ? "stays" : outcome.state.rawValue
        return outcome.done.isEmpty ? next : next + " | " + outcome.done.joined(separator: "; ")
    }
}
