// SPDX-License-Identifier: Apache-2.0
import OffstageSupervisor
import OffstageTestSupport
import Testing

@Suite struct `Waiting for apps` {
    private let stage: WaitingStage

    init() async throws {
        stage = try WaitingStage()
        await stage.start()
    }

    @Test func `what has come about already is not waited for`() async {
        await stage.reach(.ready)
        #expect(await stage.wait(for: .ready).value)
        await stage.stop()
    }

    @Test func `a milestone answers all who wait for it, and no others`() async {
        let ready = [await stage.wait(for: .ready), await stage.wait(for: .ready)]
        let launched = await stage.wait(for: .launched)
        await stage.reach(.ready)
        for task in ready { #expect(await task.value) }
        await stage.giveUp()
        #expect(await !launched.value)
        await stage.stop()
    }

    @Test func `a condition is looked at when something has happened to its app`() async {
        let answer = await stage.waitForFlag()
        await stage.happened()
        await stage.raiseFlag()
        await stage.happened(toOther: true)
        await stage.happened()
        #expect(await answer.value)
        await stage.stop()
    }

    @Test func `who has gone is not answered with success`() async {
        let (gone, stays) = (await stage.wait(for: .ready, of: 1), await stage.wait(for: .ready, of: 2))
        await stage.end(1)
        #expect(await !gone.value)
        await stage.reach(.ready)
        #expect(await stays.value)
        await stage.stop()
    }

    @Test func `patience comes to its end`() async {
        let (short, long) = (await stage.wait(for: .ready, within: 5), await stage.wait(for: .ready, within: 500))
        await stage.turn()
        await stage.advance(by: 6)
        #expect(await !short.value)
        await stage.reach(.ready)
        #expect(await long.value)
        await stage.stop()
    }

    @Test func `work that hangs is waited for so long and no longer`() async {
        let isOver = Monitor(false)
        let slow = await stage.work(within: 10) {
            _ = isOver.wait(TimeLimit(seconds: 60)) { $0 ? true : nil }
            return 1
        }
        #expect(await !stage.isWithoutWork)
        #expect(await stage.work(within: 10) { 2 }.value == 2)
        await stage.turn()
        await stage.advance(by: 11)
        #expect(await slow.value == nil)
        #expect(await stage.isWithoutWork)
        isOver.withLock { $0 = true }
        await stage.stop()
    }

    @Test func `rest comes with the end of the last work`() async {
        let isOver = Monitor(false)
        let work = await stage.work(within: nil) {
            _ = isOver.wait(TimeLimit(seconds: 60)) { $0 ? true : nil }
            return 1
        }
        let settled = await stage.wait(for: .settled)
        await stage.reach(.launched)
        isOver.withLock { $0 = true }
        #expect(await work.value == 1)
        await stage.reach(.settled)
        #expect(await settled.value)
        await stage.stop()
    }
}
