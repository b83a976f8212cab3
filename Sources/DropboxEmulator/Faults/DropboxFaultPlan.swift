// SPDX-License-Identifier: Apache-2.0

/// The current fault rules, and how often each has applied.
package struct DropboxFaultPlan: Sendable {
    private struct Entry: Sendable {
        var rule: DropboxFaultRule
        var calls = 0
        var used = 0
    }

    private var entries: [Entry] = []
    private var random: SeededNumbers

    /// Creates a plan. The seed is for probabilities: the same calls in the same order meet the same faults.
    package init(_ rules: [DropboxFaultRule] = [], seed: UInt64 = 1) {
        entries = rules.map { Entry(rule: $0) }
        random = SeededNumbers(seed: seed)
    }

    /// Reads `{"seed":1,"rules":[…]}`.
    init(_ json: EmulatorJSON) throws(DropboxRefusal) {
        var reader = try ArgumentReader(json, complaint: "faults: ")
        let seed = try reader.optionalCount("seed") ?? 1
        var rules: [DropboxFaultRule] = []
        for var rule in try reader.objects("rules") { rules.append(try DropboxFaultRule(&rule)) }
        try reader.end()
        self.init(rules, seed: UInt64(seed))
    }

    /// The fault for a call: that of the first rule that is due and applies to the call. `length` is nil if the head
    /// does not state it. Every rule counts the call.
    mutating func next(_ route: EmulatorRoute, length: Int64?) -> DropboxFault? {
        var chosen: Int?
        for index in entries.indices where entries[index].rule.route == nil || entries[index].rule.route == route {
            entries[index].calls += 1
            let entry = entries[index]
            let isDue =
                switch entry.rule.occasion {
                case .always: true
                case .call(let number): entry.calls == number
                case .probability(let value): random.fraction() < value
                }
            guard isDue, chosen == nil, entry.used < entry.rule.times ?? .max else { continue }
            if entry.rule.fault.concerns(route, length: length) { chosen = index }
        }
        guard let chosen else { return nil }
        entries[chosen].used += 1
        return entries[chosen].rule.fault
    }

    /// The rules, with how often each was considered and applied.
    package var json: EmulatorJSON {
        .array(
            entries.map { entry in
                var fields = entry.rule.json.object ?? [:]
                fields["calls"] = .integer(Int64(entry.calls))
                fields["used"] = .integer(Int64(entry.used))
                return .object(fields)
            }
        )
    }

    /// How often faults have occurred, over all rules.
    package var used: Int { entries.reduce(0) { $0 + $1.used } }
}
