// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

struct PruneRuleTests {
    @Test func `a thousand ends are worth a look, and one look runs at a time`() {
        var rule = PruneRule()
        rule.note(ended: 999)
        #expect(!rule.isDue(at: Fixture.moment(0)))
        rule.note(ended: 1)
        #expect(rule.isDue(at: Fixture.moment(0)))
        let hasBegun = rule.begin(at: Fixture.moment(0))
        rule.note(ended: 1000)
        let hasBegunTwice = rule.begin(at: Fixture.moment(1))
        #expect(hasBegun && !hasBegunTwice)
        #expect(!rule.isDue(at: Fixture.moment(1)))
        rule.end()
        #expect(rule.isDue(at: Fixture.moment(1)), "what ended meanwhile counts for the next")
    }

    @Test func `an hour after a look there is another`() {
        var rule = PruneRule()
        #expect(!rule.isDue(at: Fixture.moment(9999)), "the first look is the daemon's own, at its start")
        _ = rule.begin(at: Fixture.moment(0))
        rule.end()
        #expect(!rule.isDue(at: Fixture.moment(3600)))
        #expect(rule.isDue(at: Fixture.moment(3601)))
    }
}
