// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct SignalReachTests {
    @Test func `an app that leads a group is signalled with it, any other with its tree`() {
        #expect(SignalReach(app: (40, 40), own: (7, 7)) == .group)
        #expect(SignalReach(app: (41, 40), own: (7, 7)) == .tree)
    }

    @Test func `a group that the daemon is in is not signalled as one`() {
        #expect(SignalReach(app: (40, 40), own: (42, 40)) == .tree)
    }

    @Test func `the first process of a container has no group that could be named`() {
        #expect(SignalReach(app: (1, 1), own: (7, 7)) == .tree)
        #expect(SignalReach(app: (1, 0), own: (7, 7)) == .tree)
    }

    @Test(arguments: [7, 0, -1, -40] as [Int32]) func `the daemon, a group and everybody are nobody`(number: Int32) {
        #expect(SignalReach(app: (number, number), own: (7, 7)) == .nobody)
        #expect(SignalReach(app: (number, 3), own: (7, 7)) == .nobody)
    }
}
