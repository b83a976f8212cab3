// SPDX-License-Identifier: Apache-2.0
import Offstage
import Synchronization
import Testing

@Suite struct `The app's code` {
    @Test func `code behind a call has a moment from its return`() {
        let code = AppCode()
        #expect(code.rest(of: .seconds(10), at: .now) == .zero)
        code.run {}
        let after = ContinuousClock.now
        #expect(code.rest(of: .seconds(10), at: after) > .zero)
        #expect(code.rest(of: .seconds(10), at: after.advanced(by: .seconds(4))) <= .seconds(6))
        #expect(code.rest(of: .seconds(10), at: after.advanced(by: .seconds(10))) == .zero)
    }

    @Test func `without a call before it is quiet at once`() async {
        let code = AppCode()
        await withCheckedContinuation { continuation in code.whenQuiet(for: .seconds(3600)) { continuation.resume() } }
    }

    @Test func `it is quiet neither while a call runs nor in the moment behind one`() async {
        let code = AppCode()
        let hold = code.hold()
        let order = Mutex<[String]>([])
        let started = ContinuousClock.now
        await withCheckedContinuation { continuation in
            code.whenQuiet(for: .milliseconds(20)) {
                order.withLock { $0.append("quiet") }
                continuation.resume()
            }
            code.run { order.withLock { $0.append("called") } }
            order.withLock { $0.append("ended") }
            hold.end()
        }
        #expect(order.withLock { $0 } == ["called", "ended", "quiet"])
        #expect(ContinuousClock.now - started >= .milliseconds(20))
    }
}
