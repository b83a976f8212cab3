// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageSupervisor
import OffstageTestSupport
import Testing

/// Apps as used by deferred work, and under memory pressure.
@Suite struct AppCenterWorkTests {
    private let stage: SupervisorStage
    private let notices = Monitor<[TaskNotice]>([])
    private let holds = Monitor<[AppHold?]>([])

    init() throws {
        stage = try SupervisorStage()
        let (notices, holds) = (notices, holds)
        work { apps in
            apps.setTaskSink { notice, _ in notices.withLock { $0.append(notice) } }
            apps.setHoldSink { _, hold in holds.withLock { $0.append(hold) } }
        }
    }

    private var told: [TaskNotice] { notices.withLock { $0 } }
    private static let launch = TaskLaunch(number: 7, identifier: "tidy", kind: .processing, seconds: 600)

    private func work(_ body: @escaping @Sendable (isolated any WorkApps) -> Void) {
        let apps: any WorkApps = stage.center
        stage.engine.loop.post { apps.assumeIsolated { body($0) } }
        stage.engine.settle()
    }

    private func start() { work { _ = $0.startTask(Self.launch, app: SupervisorStage.app) } }

    private func known() throws {
        try stage.open().end(.exited(0))
        stage.engine.settle()
    }

    @Test func `an app that is not running is launched for its work, and stopped when that is done`() throws {
        try known()
        start()
        let process = try #require(stage.processes.last)
        #expect(process.isInBackground == true)
        #expect(told == [.entered(7), .ended(7, .completed(success: true))])
        stage.engine.advance(by: 1)
        #expect(process.isHalted)
    }

    @Test func `work keeps a suspended app running for as long as it lasts`() throws {
        let process = try stage.openAndLeave()
        process.habits.completesWork = false
        stage.engine.advance(by: 1)
        start()
        stage.engine.advance(by: 500)
        #expect(!process.isHalted)
        #expect(told == [.entered(7)])
        #expect(try stage.state() == .background)
    }

    @Test func `work that outlasts its ten minutes is told to end in time, and has then ended`() throws {
        let process = try stage.openAndLeave()
        process.habits.completesWork = false
        start()
        stage.engine.advance(by: 594)
        #expect(!process.wasTold { if case .expireTask = $0 { true } else { false } })
        stage.engine.advance(by: 6)
        #expect(process.wasTold { $0 == .expireTask(7, .timeOver) })
        #expect(told.last == .ended(7, .expired(.timeOver, success: true)))
        stage.engine.advance(by: 1)
        #expect(process.isHalted)
        #expect(!process.hasEnded)
    }

    @Test func `an app that ignores that is killed, and its work has ended so`() throws {
        let process = try stage.openAndLeave()
        (process.habits.completesWork, process.habits.endsTasks) = (false, false)
        start()
        stage.engine.advance(by: 620)
        #expect(process.hasEnded)
        guard case .ended(7, .killed(.timeOver, _))? = told.last else {
            Issue.record("It was told \(told)")
            return
        }
    }

    @Test func `work of an app that crashes comes back, and the app is held for a while`() throws {
        try known()
        stage.processes.habits.connects = false
        start()
        try #require(stage.processes.last).end(.signalled(SIGSEGV))
        stage.engine.settle()
        guard case .returned(7, _)? = told.last, case .backedOff(_, crashes: 1)?? = holds.withLock({ $0.last }) else {
            Issue.record("It was told \(told), and held \(holds.withLock { $0 })")
            return
        }
        start()
        #expect(stage.processes.launches == 1)
        stage.engine.advance(by: 5.1)
        start()
        #expect(stage.processes.launches == 2)
    }

    @Test func `no app is launched for work that its person has quit`() throws {
        _ = try stage.openAndLeave()
        try stage.act(.quit(keepsTransfers: true))
        #expect(holds.withLock { $0.last } == .some(.quit))
        start()
        #expect(stage.processes.launches == 0)
        #expect(told == [.returned(7, "A person has quit its app.")])
    }

    @Test func `work of an app that nobody knows is not begun`() throws {
        let apps: any WorkApps = stage.center
        let isKnown = try stage.engine.run { await apps.startTask(Self.launch, app: "com.example.none") }
        #expect(!isKnown)
        #expect(told.isEmpty)
    }

    @Test func `a machine that is short of memory ends a suspended app, and warns one that runs`() throws {
        let center = stage.center
        let process = try stage.open()
        try stage.engine.run { await center.simulateMemoryPressure() }
        stage.engine.settle()
        #expect(process.wasTold { $0 == .memoryWarning })
        try stage.act(.background)
        stage.engine.advance(by: 1)
        #expect(process.isHalted)
        try stage.engine.run { await center.simulateMemoryPressure() }
        stage.engine.settle()
        #expect(process.hasEnded)
        #expect(try stage.story().contains(.killed(.memoryPressure)))
        // It is launched again when there is a reason.
        stage.call(for: "photos")
        #expect(stage.processes.launches == 1)
    }

    @Test func `of several suspended apps the one that was used longest ago is ended, one at a time`() throws {
        let center = stage.center
        let other = "com.example.video"
        let older = try stage.open(other)
        try stage.act(.background, on: other)
        stage.engine.advance(by: 60)
        let younger = try stage.openAndLeave()
        stage.engine.advance(by: 60)
        #expect(older.isHalted && younger.isHalted)
        try stage.engine.run { await center.simulateMemoryPressure() }
        stage.engine.settle()
        #expect(older.hasEnded)
        #expect(!younger.hasEnded)
    }
}
