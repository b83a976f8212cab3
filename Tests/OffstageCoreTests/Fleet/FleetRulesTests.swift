// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// The combined rules of several fleets for one machine.
@Suite struct FleetRulesTests {
    private let now = Fixture.start
    private let zone = CivilZone(time: { _ in nil }, instant: { _ in nil })

    private func policy(_ change: (inout FleetPolicy) -> Void) -> FleetPolicy {
        var policy = FleetPolicy()
        change(&policy)
        return policy
    }

    @Test func `without a fleet nothing is said, and no look is due`() {
        var rules = FleetRules()
        let isOther = rules.look(at: now, in: zone)
        #expect(rules.due == nil && !isOther)
        #expect(rules.rateLimit == nil && rules.maximumRunning == nil && rules.hold == nil)
        #expect(rules.fleetAgainstMetered == nil)
    }

    @Test func `the strictest counts, and is named`() {
        var rules = FleetRules()
        rules.set([policy { $0.rateLimit = 500 }, policy { $0.maximumRunning = 4 }], of: "1", label: "one")
        rules.set(
            [policy { ($0.rateLimit, $0.maximumRunning, $0.allowsMetered) = (900, 2, false) }],
            of: "2",
            label: "two"
        )
        var isOther = rules.look(at: now, in: zone)
        #expect(isOther)
        #expect(rules.rateLimit == 500)
        #expect(rules.maximumRunning == .init(fleet: "two", value: 2))
        #expect(rules.fleetAgainstMetered == "two" && rules.hold == nil)
        // Nothing has changed, and no hour of a schedule changes anything.
        #expect(rules.due == nil)
        isOther = rules.look(at: now, in: zone)
        #expect(!isOther)
        rules.set([policy { $0.isPaused = true }], of: "1", label: "one")
        isOther = rules.look(at: now, in: zone)
        #expect(isOther)
        #expect(rules.hold == .init(fleet: "one", value: .paused) && rules.rateLimit == 900)
        rules.set([], of: "1", label: "")
        rules.set([], of: "2", label: "")
        isOther = rules.look(at: now, in: zone)
        #expect(isOther)
        #expect(rules.hold == nil && rules.rateLimit == nil && rules.maximumRunning == nil)
    }

    @Test func `so many fleets have rules, and another one when one of them says nothing any more`() {
        var rules = FleetRules()
        let paused = [policy { $0.isPaused = true }]
        for number in 1...FleetRules.mostFleets {
            let isTaken = rules.set(paused, of: "\(number)", label: "one of many")
            #expect(isTaken)
        }
        var isTaken = rules.set(paused, of: "new", label: "new")
        #expect(!isTaken)
        isTaken = rules.set([policy { $0.rateLimit = 5 }], of: "1", label: "one")
        #expect(isTaken, "a fleet that has rules may change them")
        isTaken = rules.set([], of: "1", label: "one")
        #expect(isTaken)
        isTaken = rules.set(paused, of: "new", label: "new")
        #expect(isTaken)
    }

    @Test func `a fleet's name is shown as text of somebody else`() {
        for hold in FleetPolicy.Hold.allCases {
            let words = hold.summary(of: "a\u{1B}[31m" + String(repeating: "x", count: 100))
            #expect(!words.contains("\u{1B}") && words.utf8.count < 200, "\(words)")
        }
    }
}
