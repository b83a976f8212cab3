// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageSupervisor
import Testing

@Suite struct `Before every app was found` {
    @Test func `what sessions need waits for that`() {
        var readiness = AppReadiness()
        let notices: [AppNotice] = [.needsApp(app: "a", session: "s"), .settled(app: "a", session: "s")]
        let kept = notices.map { readiness.keeps($0) }
        #expect(kept == [true, true])
        #expect(!readiness.isReady)
        let early = readiness.becomeReady()
        #expect(early == notices)
        #expect(readiness.isReady)
        let isKept = readiness.keeps(notices[0])
        #expect(!isKept)
        let later = readiness.becomeReady()
        #expect(later == [])
    }
}
