// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// Who gives up memory, after <https://developer.apple.com/documentation/uikit/responding-to-memory-warnings>.
@Suite struct MemoryReclaimTests {
    private func app(_ id: String, _ state: LifeState, lastUsed: Double) -> MemoryReclaim.Candidate {
        MemoryReclaim.Candidate(id: id, state: state, lastUsed: lastUsed)
    }

    @Test func `the suspended app that was used longest ago goes first`() {
        let apps = [
            app("late", .suspended, lastUsed: 30), app("early", .suspended, lastUsed: 10),
            app("running", .background, lastUsed: 1), app("ended", .terminated, lastUsed: 0),
        ]
        #expect(MemoryReclaim.decide(apps) == .reclaim("early"))
        #expect(MemoryReclaim.decide(apps.reversed()) == .reclaim("early"))
    }

    @Test func `running apps are warned only when none is suspended`() {
        let apps = [
            app("front", .active, lastUsed: 30), app("behind", .background, lastUsed: 10),
            app("starting", .launching, lastUsed: 1), app("ended", .terminated, lastUsed: 0),
        ]
        #expect(MemoryReclaim.decide(apps) == .warn(["behind", "front"]))
        #expect(MemoryReclaim.decide([]) == .warn([]))
    }
}
