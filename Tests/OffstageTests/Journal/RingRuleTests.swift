// SPDX-License-Identifier: Apache-2.0
import Offstage
import Testing

@Suite struct RingRuleTests {
    @Test func `the first record rings`() {
        var rule = RingRule()
        let ring1 = rule.append()
        #expect(ring1)
    }

    @Test func `a record that follows a ring waits for the commit`() {
        var rule = RingRule()
        let ring2 = rule.append()
        #expect(ring2)
        let ring3 = rule.append()
        #expect(!ring3)
        let ring4 = rule.append()
        #expect(!ring4)
        let ring5 = rule.commit(1)
        #expect(ring5, "what was appended meanwhile has to be told")
        let ring6 = rule.append()
        #expect(!ring6)
    }

    @Test func `a commit of everything needs no ring, and the next record rings again`() {
        var rule = RingRule()
        let ring7 = rule.append()
        #expect(ring7)
        let ring8 = rule.append()
        #expect(!ring8)
        let ring9 = rule.commit(2)
        #expect(!ring9)
        let ring10 = rule.append()
        #expect(ring10)
    }

    @Test func `a commit of a part of what was rung for is waited out`() {
        var rule = RingRule()
        for _ in 0..<3 { _ = rule.append() }
        let ring11 = rule.commit(1)
        #expect(ring11)
        #expect(rule.lastRung == 3)
        let ring12 = rule.commit(2)
        #expect(!ring12, "the daemon reads to the end of what it was told")
        let ring13 = rule.commit(3)
        #expect(!ring13)
        let ring14 = rule.append()
        #expect(ring14)
    }

    @Test func `an old commit takes nothing back`() {
        var rule = RingRule()
        _ = rule.append()
        _ = rule.commit(1)
        let ring15 = rule.commit(0)
        #expect(!ring15)
        #expect(rule.committed == 1)
    }

    @Test(arguments: 1...40) func `however the daemon commits, nothing is left untold`(seed: Int) {
        var generator = SeededNumbers(seed: UInt64(seed))
        var rule = RingRule()
        // The daemon commits the records that it was rung for, in one piece or several.
        var told: UInt64 = 0
        for _ in 0..<200 {
            if Bool.random(using: &generator) {
                if rule.append() { told = rule.appended }
            } else if rule.committed < told {
                if rule.commit(UInt64.random(in: rule.committed + 1...told, using: &generator)) { told = rule.appended }
            }
        }
        while rule.committed < told {
            if rule.commit(told) { told = rule.appended }
        }
        #expect(rule.committed == rule.appended)
    }
}

/// Random numbers that are the same in every run.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
