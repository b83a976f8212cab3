// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageSupervisor
import OffstageTestSupport
import Testing

/// Launches: for a person, for a session's events, failed ones, and the ends of launched processes.
@Suite struct AppCenterLaunchTests {
    private let stage: SupervisorStage

    init() throws { stage = try SupervisorStage() }

    /// A known app that does not run, because the person at its shell has ended it.
    private func known() throws {
        let process = try stage.open()
        process.end(.exited(0))
        stage.engine.settle()
        #expect(try stage.state() == .terminated)
    }

    @Test func `an app that is not running is launched in background for its session`() throws {
        try known()
        stage.call(for: "photos")
        let process = try #require(stage.processes.last)
        #expect(process.token != nil)
        #expect(process.isInBackground == true)
        #expect(try stage.story().contains(.launching(.sessionEvents("photos"))))
        #expect(process.told.contains { if case .handleEvents("photos", _) = $0 { true } else { false } })
        stage.engine.advance(by: 30)
        #expect(process.isHalted)
    }

    @Test func `it is launched as it was started by its person`() throws {
        try known()
        let launches = stage.processes.launches
        try stage.act(.launch(inBackground: false), waits: true)
        #expect(stage.processes.launches == launches + 1)
        #expect(try stage.state() == .active)
    }

    @Test func `one that crashes is launched for its session after five seconds, then ten`() throws {
        try known()
        stage.processes.habits.handlesEvents = false
        stage.call(for: "photos")
        for (crash, pause) in [5.0, 10, 20].enumerated() {
            #expect(stage.processes.launches == crash + 1)
            try #require(stage.processes.last).end(.signalled(SIGSEGV))
            stage.engine.advance(by: pause - 0.1)
            #expect(stage.processes.launches == crash + 1)
            stage.engine.advance(by: 0.2)
        }
        #expect(stage.processes.launches == 4)
    }

    @Test func `a launch that the system refuses is tried again after a pause, and the reason is told`() throws {
        try known()
        stage.processes.refusal = .process(code: EAGAIN)
        stage.call(for: "photos")
        #expect(stage.processes.launches == 1)
        let failures = try stage.story().filter { if case .launchFailed = $0 { true } else { false } }
        #expect(failures == [.launchFailed(LaunchError.process(code: EAGAIN).sentence)])
        stage.processes.refusal = nil
        stage.engine.advance(by: 5.1)
        #expect(stage.processes.launches == 2)
        stage.engine.advance(by: 30)
        #expect(try stage.story().contains { if case .handledEvents = $0 { true } else { false } })
    }

    @Test func `a person who launches an app is told why it cannot be`() throws {
        try known()
        let failure = LaunchError.executable("/apps/com.example.photos", code: ENOENT)
        stage.processes.refusal = failure
        let refusal = #expect(throws: WireFailure.self) { try stage.act(.launch(inBackground: false)) }
        #expect(refusal?.message == failure.sentence)
        #expect(try stage.state() == .terminated)
    }

    @Test func `an app that never connects after a launch in background is killed after twenty seconds`() throws {
        try known()
        stage.processes.habits.connects = false
        stage.call(for: "photos")
        let process = try #require(stage.processes.last)
        stage.engine.advance(by: 19.9)
        #expect(!process.hasEnded)
        stage.engine.advance(by: 0.2)
        #expect(process.hasEnded)
        #expect(try stage.story().contains(.killed(.launchTooLong(seconds: 20))))
    }

    @Test func `an app that a person quits is not called for its sessions, until a person opens it`() throws {
        let process = try stage.openAndLeave()
        stage.engine.advance(by: 1)
        let sessions = stage.sessions
        try stage.engine.run { await sessions.handOver(3) }
        try stage.act(.quit(keepsTransfers: false))
        #expect(process.hasEnded)
        let cancellations = try stage.engine.run { await sessions.cancellations }
        #expect(cancellations == 1)
        #expect(try stage.story().contains(.quit(cancelledTransfers: 3)))
        stage.call(for: "photos")
        stage.engine.advance(by: 3600)
        #expect(stage.processes.launches == 0)
        #expect(try stage.details().row.isQuit)
        try stage.act(.launch(inBackground: false), waits: true)
        #expect(try !stage.details().row.isQuit)
    }

    @Test func `a running app is told to end, and killed when it does not`() throws {
        let process = try stage.open()
        try stage.act(.terminate)
        #expect(process.told.contains(.terminate))
        #expect(try stage.state() == .terminated)
        #expect(try stage.story().contains(.toldToEnd(.terminated)))
        #expect(process.hasEnded)
    }

    @Test func `an app that is killed from outside is gone at once, with how it ended`() throws {
        stage.processes.habits.handlesEvents = false
        try known()
        stage.call(for: "photos")
        let process = try #require(stage.processes.last)
        process.kill()
        stage.engine.settle()
        #expect(try stage.state() == .terminated)
        #expect(try stage.story().contains(.ended(.signalled(SIGKILL))))
    }

    @Test func `an app that a person removes is forgotten, unless it runs`() throws {
        let process = try stage.open()
        #expect(throws: WireFailure.self) { try stage.act(.remove) }
        process.end(.exited(0))
        stage.engine.settle()
        try stage.act(.remove)
        let refusal = #expect(throws: WireFailure.self) { try stage.details() }
        #expect(refusal?.code == .notFound)
    }

    @Test func `in the strict profile the third wake waits for a minute, and a person ends the wait`() throws {
        var settings = Settings()
        settings.strict = true
        let stage = try SupervisorStage(settings)
        let process = try stage.openAndLeave()
        stage.engine.advance(by: 1)
        func wakes() -> Int { process.told.count { if case .handleEvents = $0 { true } else { false } } }
        for _ in 1...2 {
            stage.call(for: "photos")
            stage.engine.advance(by: 10)
        }
        #expect(wakes() == 2)
        stage.call(for: "photos")
        stage.engine.advance(by: 49)
        #expect(wakes() == 2)
        stage.engine.advance(by: 2)
        #expect(wakes() == 3)
        stage.engine.advance(by: 10)
        stage.call(for: "photos")
        #expect(wakes() == 3)
        try stage.act(.foreground, waits: true)
        #expect(try stage.state() == .active)
        try stage.act(.background)
        stage.engine.advance(by: 1)
        stage.call(for: "more")
        stage.engine.settle()
        #expect(process.told.contains { if case .handleEvents("more", _) = $0 { true } else { false } })
    }
}
