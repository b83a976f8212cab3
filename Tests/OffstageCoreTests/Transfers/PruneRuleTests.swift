// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

struct PruneRuleTests {
    @Test func `a thousand ends are worth a look, and one look runs at a time`() {
        var rule = PruneRule()
        rule.record(ended: 999)
        let isEarly = rule.beginIfDue(at: Fixture.moment(0))
        rule.record(ended: 1)
        let hasBegun = rule.beginIfDue(at: Fixture.moment(0))
        rule.record(ended: 1000)
        let isTwice = rule.beginIfDue(at: Fixture.moment(1))
        let isAsked = rule.begin(at: Fixture.moment(1))
        #expect(!isEarly && hasBegun && !isTwice && !isAsked)
        rule.end()
        let isNext = rule.beginIfDue(at: Fixture.moment(1))
        #expect(isNext, "what ended meanwhile counts for the next")
    }

    @Test func `an hour after a look there is another`() {
        var rule = PruneRule()
        let isFirst = rule.beginIfDue(at: Fixture.moment(9999))
        #expect(!isFirst, "the first look is the daemon's own, at its start")
        _ = rule.begin(at: Fixture.moment(0))
        rule.end()
        let isEarly = rule.beginIfDue(at: Fixture.moment(3600))
        let isDue = rule.beginIfDue(at: Fixture.moment(3601))
        #expect(!isEarly && isDue)
    }
}
