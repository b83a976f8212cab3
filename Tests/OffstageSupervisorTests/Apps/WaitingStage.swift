// SPDX-License-Identifier: Apache-2.0
import OffstageRuntime
import OffstageSupervisor
import OffstageTestSupport

/// Waiting callers, on their own loop.
actor WaitingStage {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let waiting: AppWaiting
    private let app = SupervisedApp.sample()
    private let other = SupervisedApp.sample("org.example.other")
    private var reached: Set<AppWaiting.Milestone> = []
    private var isCancelled = false

    init() throws {
        let loop = try EventLoop()
        self.loop = loop
        waiting = AppWaiting(loop: loop)
        try TestThread.start { loop.run() }
    }

    func start() { waiting.start { [weak self] milestone in self?.assumeIsolated { $0.has(milestone) } ?? false } }
    func stop() { loop.stop() }

    private func has(_ milestone: AppWaiting.Milestone) -> Bool { reached.contains(milestone) }

    /// Starts waiting; the next caller finds the wait in progress.
    func wait(
        for milestone: AppWaiting.Milestone,
        of connection: UInt64? = nil,
        within seconds: Double? = nil
    ) -> Task<Bool, Never> {
        loop.startTask { await waiting.wait(for: .milestone(milestone), of: connection, within: seconds) }
    }

    func waitForFlag() -> Task<Bool, Never> {
        loop.startTask { await waiting.wait(for: .app(app) { _ in self.isCancelled }) }
    }

    func raiseFlag() { isCancelled = true }
    func happened(toOther: Bool = false) { waiting.happened(to: toOther ? other : app) }

    func reach(_ milestone: AppWaiting.Milestone) {
        reached.insert(milestone)
        waiting.reached(milestone)
    }

    func end(_ connection: UInt64) { waiting.ended(connection) }
    func giveUp() { waiting.giveUp() }
    func advance(by seconds: Double) { loop.advance(by: seconds) }

    func work(within seconds: Double?, _ body: @escaping @Sendable () -> Int) -> Task<Int?, Never> {
        loop.startTask { await waiting.patiently(within: seconds, body) }
    }

    var isWithoutWork: Bool { waiting.isWithoutWork }

    /// Returns when everything that this turn of the loop caused has happened.
    func turn() async { await withCheckedContinuation { continuation in loop.post { continuation.resume() } } }
}
