// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import OffstageRuntime
import OffstageTestSupport
import OffstageWork
import Testing

/// Clients that watch, on their own loop.
private actor WatcherStage {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let watchers: TaskWatchers
    private var running: Set<UInt64> = [1, 2]
    nonisolated let sent = Monitor<[String]>([])

    init() throws {
        let loop = try EventLoop()
        self.loop = loop
        watchers = TaskWatchers(loop: loop)
        try TestThread.start { loop.run() }
    }

    func start() {
        let sent = sent
        watchers.start(
            row: { [weak self] number in self?.assumeIsolated { $0.row(number) } },
            isRunning: { [weak self] number in self?.assumeIsolated { $0.running.contains(number) } ?? false },
            send: { event, connection in
                let text =
                    switch event {
                    case .changed(let row): "\(connection) changed \(row.record.request.number)"
                    case .removed(let number): "\(connection) removed \(number)"
                    }
                sent.withLock { $0.append(text) }
            }
        )
    }

    private func row(_ number: UInt64) -> TaskRow? {
        guard running.contains(number) else { return nil }
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let now = Moment(wall: date, bootID: "boot", uptime: 100)
        let request = TaskRequest(number: number, app: "a", identifier: "t", kind: .continued, submitted: now)
        return TaskRow(record: .init(request: request), reason: .init(cause: .running, since: date), progress: nil)
    }

    func watch(_ connection: UInt64) { watchers.add(connection) }
    func tell(of number: UInt64) { watchers.notify(of: number) }
    func end(_ number: UInt64) { running.remove(number) }

    /// Reports progress of tasks, then the last one's end, in one turn of the loop; returns that turn's notifications.
    func progress(_ numbers: [UInt64], thenEnds last: UInt64? = nil) -> [String] {
        for number in numbers { watchers.hasProgress(number) }
        if let last { running.remove(last) }
        return log
    }

    func advance(by seconds: Double) { loop.advance(by: seconds) }
    func turn() async { await withCheckedContinuation { continuation in loop.post { continuation.resume() } } }
    func stop() { loop.stop() }

    nonisolated var log: [String] { sent.withLock { $0 } }
}

@Suite struct `Clients that watch tasks` {
    @Test func `a change is told at once, and so is the end`() async throws {
        let stage = try WatcherStage()
        await stage.start()
        await stage.tell(of: 1)
        await stage.watch(7)
        await stage.tell(of: 1)
        await stage.end(1)
        await stage.tell(of: 1)
        #expect(stage.log == ["7 changed 1", "7 removed 1"])
        await stage.stop()
    }

    @Test func `progress is told at once, then as often as the pause allows`() async throws {
        let stage = try WatcherStage()
        await stage.start()
        await stage.watch(7)
        #expect(await stage.progress([1, 1, 1, 2], thenEnds: 2) == ["7 changed 1"])
        await stage.turn()
        await stage.advance(by: TaskWatchers.pause + 0.01)
        #expect(stage.log == ["7 changed 1", "7 changed 1"])
        // There was no progress in this pause: the next progress is reported at once.
        await stage.turn()
        await stage.advance(by: TaskWatchers.pause + 0.01)
        #expect(await stage.progress([1]) == ["7 changed 1", "7 changed 1", "7 changed 1"])
        await stage.stop()
    }
}
