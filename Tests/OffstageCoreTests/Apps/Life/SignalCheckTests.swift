// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct SignalCheckTests {
    @Test func `a signal is repeated until the kernel shows its effect, less and less often`() throws {
        var turn = Turn.at(0)
        var check = SignalCheck(stopping: true, replacing: nil, &turn)
        #expect(turn.actions == [.stop, .observe(after: 0.002)])
        #expect(check.due == 5000.252)
        var delays: [Double] = []
        for _ in 0..<10 {
            turn = Turn.at(1)
            check = try #require(check.seen(isStopped: false, shouldBeStopped: true, &turn))
            #expect(turn.actions.first == .stop)
            if case .observe(let delay)? = turn.actions.last { delays.append(delay) }
        }
        #expect(delays == [0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1, 1])
        turn = Turn.at(2)
        #expect(check.seen(isStopped: true, shouldBeStopped: true, &turn) == nil)
        #expect(turn.actions.isEmpty)
    }

    @Test func `after the opposite request one more look follows, since that may still take effect`() throws {
        var turn = Turn.at(0)
        let stop = SignalCheck(stopping: true, replacing: nil, &turn)
        let resume = SignalCheck(stopping: false, replacing: stop, &turn)
        turn = Turn.at(1)
        let last = try #require(resume.seen(isStopped: false, shouldBeStopped: false, &turn))
        #expect(turn.actions == [.observe(after: 1)])
        #expect(last.seen(isStopped: false, shouldBeStopped: false, &turn) == nil)
    }

    @Test func `a shell has some seconds to notice that its job has stopped, then the process is continued anyway`() {
        var turn = Turn.at(0)
        var check = SignalCheck.behindTerminal(&turn)
        #expect(turn.actions == [.resumeBehindTerminal, .observe(after: 1)])
        var signals: [AppAction?] = []
        for _ in 0..<4 {
            turn = Turn.at(1)
            check = check.again(shouldBeStopped: false, &turn)
            signals.append(turn.actions.first)
        }
        #expect(signals == [.resumeBehindTerminal, .resumeBehindTerminal, .resumeBehindTerminal, .resume])
    }
}
