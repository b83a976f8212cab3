// SPDX-License-Identifier: Apache-2.0
import OffstageRuntime
import OffstageTestSupport
import Testing

@Suite struct `An alarm that is set once a turn` {
    private actor Owner {
        nonisolated let loop: EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        private let alarm: TurnAlarm
        private var due: Double?
        private(set) var questions = 0
        private(set) var rings = 0

        init() throws {
            let loop = try EventLoop()
            self.loop = loop
            alarm = TurnAlarm(loop: loop)
            try TestThread.start { loop.run() }
        }

        func start() {
            alarm.start(
                times: { [weak self] in (self?.assumeIsolated { $0.answer() }, nil) },
                ring: { [weak self] in self?.assumeIsolated { $0.rings += 1 } }
            )
        }

        private func answer() -> Double? {
            questions += 1
            return due
        }

        /// Sets several due times in one turn, the last of which counts.
        func plan(after seconds: [Double]) {
            for seconds in seconds {
                due = loop.uptime + seconds
                alarm.changed()
            }
        }

        func advance(by seconds: Double) { loop.advance(by: seconds) }
        func turn() async { await withCheckedContinuation { continuation in loop.post { continuation.resume() } } }
        func stop() { loop.stop() }
    }

    @Test func `it asks its owner once, at the end of the turn`() async throws {
        let owner = try Owner()
        await owner.start()
        await owner.plan(after: [1000, 10, 1000])
        await owner.turn()
        #expect(await owner.questions == 1)
        await owner.advance(by: 500)
        #expect(await owner.rings == 0)
        await owner.advance(by: 501)
        #expect(await owner.rings == 1)
        await owner.plan(after: [1000])
        await owner.turn()
        #expect(await owner.questions == 2)
        await owner.stop()
    }
}
