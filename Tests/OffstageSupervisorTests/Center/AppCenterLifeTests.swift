// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageSupervisor
import OffstageTestSupport
import Testing

/// An app's life from the shell to the end of its background time, as its engine carries it out.
@Suite struct AppCenterLifeTests {
    private let stage: SupervisorStage

    init() throws { stage = try SupervisorStage() }

    @Test func `an app that a person opens is in front, and known from then on`() throws {
        let process = try stage.open()
        #expect(try stage.state() == .active)
        #expect(try stage.details().row.process == process.identity.number)
        #expect(try stage.story().prefix(2) == [.registered, .attached(process: process.identity.number)])
        #expect(process.isInBackground != true)
    }

    @Test func `an app that is left with nothing to do is stopped after its grace`() throws {
        let process = try stage.openAndLeave()
        #expect(try stage.state() == .background)
        stage.engine.advance(by: 0.2)
        #expect(!process.isHalted)
        stage.engine.advance(by: 0.1)
        #expect(process.isHalted)
        #expect(try stage.state() == .suspended)
        let isWithheld = try stage.engine.run { [stage] in await stage.sessions.isWithheld }
        #expect(isWithheld)
    }

    @Test func `a background task keeps an app running until it is ended`() throws {
        let process = try stage.open()
        process.beginTask(1, "upload", at: stage.engine.clock.now().uptime)
        try stage.act(.background)
        stage.engine.advance(by: 20)
        #expect(try stage.state() == .background)
        #expect(try stage.details().tasks.map(\.name) == ["upload"])
        process.endTask(1)
        stage.engine.advance(by: 0.3)
        #expect(try stage.state() == .suspended)
    }

    @Test func `its expiration handlers are called five seconds before the end, exactly`() throws {
        let process = try stage.open()
        process.beginTask(1, "upload", at: stage.engine.clock.now().uptime)
        try stage.act(.background)
        stage.engine.advance(by: 24.9)
        #expect(!process.told.contains(.expire))
        stage.engine.advance(by: 0.2)
        #expect(process.told.contains(.expire))
        // Its handler has ended the task, so it is stopped and not killed.
        stage.engine.advance(by: 0.3)
        #expect(process.isHalted)
        #expect(!process.hasEnded)
    }

    @Test func `an app whose tasks outlive its time is killed at its end, with the reason`() throws {
        let process = try stage.open()
        process.habits.endsTasks = false
        process.beginTask(1, "upload", at: stage.engine.clock.now().uptime)
        try stage.act(.background)
        stage.engine.advance(by: 29.9)
        #expect(!process.hasEnded)
        stage.engine.advance(by: 0.2)
        #expect(process.hasEnded)
        #expect(try stage.state() == .terminated)
        let killed = try stage.story().contains { happening in
            guard case .killed(.backgroundTimeOver(let seconds, let tasks)) = happening else { return false }
            return seconds == 30 && tasks.map(\.name) == ["upload"]
        }
        #expect(killed)
    }

    @Test func `an app that does not return from entering the background is killed after five seconds`() throws {
        let process = try stage.open()
        process.habits.entersBackground = false
        try stage.act(.background)
        stage.engine.advance(by: 4.9)
        #expect(!process.hasEnded)
        stage.engine.advance(by: 0.2)
        #expect(process.hasEnded)
        #expect(try stage.story().contains(.killed(.didEnterBackgroundTooLong(seconds: 5))))
    }

    @Test func `a suspended app that a person wants in front is continued`() throws {
        let process = try stage.openAndLeave()
        stage.engine.advance(by: 1)
        #expect(process.isHalted)
        try stage.act(.foreground, waits: true)
        #expect(!process.isHalted)
        #expect(try stage.state() == .active)
        #expect(process.isInBackground == false)
    }

    @Test func `a suspended app is woken for its session, and stopped again when it has handled the events`() throws {
        let process = try stage.openAndLeave()
        stage.engine.advance(by: 1)
        stage.call(for: "photos")
        #expect(process.told.contains { if case .handleEvents("photos", _) = $0 { true } else { false } })
        let notified = try stage.engine.run { [stage] in await stage.sessions.notified }
        #expect(notified == ["photos"])
        stage.engine.advance(by: 30)
        #expect(try stage.story().contains(.handledEvents(session: "photos")))
        let handled = try stage.engine.run { [stage] in await stage.sessions.handled }
        #expect(handled == ["photos"])
        #expect(process.isHalted)
    }

    @Test func `an app that never calls the completion handler has thirty seconds, and then is stopped`() throws {
        let process = try stage.openAndLeave()
        process.habits.handlesEvents = false
        stage.engine.advance(by: 1)
        stage.call(for: "photos")
        stage.engine.advance(by: 29)
        #expect(try stage.state() == .background)
        stage.engine.advance(by: 2)
        #expect(try stage.state() == .suspended)
        #expect(try stage.story().contains(.eventsNotHandled(session: "photos", seconds: 30)))
    }

    @Test func `an app that is in front is not called for its session`() throws {
        let process = try stage.open()
        stage.call(for: "photos")
        stage.engine.advance(by: 60)
        #expect(!process.told.contains { if case .handleEvents = $0 { true } else { false } })
    }

    @Test func `a second process of an app is refused, and the first one stays`() throws {
        let first = try stage.open()
        let second = stage.processes.start(SupervisorStage.app, token: nil)
        stage.engine.settle()
        #expect(second.connection == nil)
        #expect(try stage.details().row.process == first.identity.number)
        #expect(try stage.state() == .active)
    }
}
