// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageSupervisor
import OffstageTestSupport
import Testing

/// What a daemon that is cut off leaves to its successor, and what happens while the store does not work.
@Suite struct AppCenterRestartTests {
    private var stage: SupervisorStage

    init() throws { stage = try SupervisorStage() }

    @Test mutating func `an app is known to the next daemon, with its story`() throws {
        try stage.open().end(.exited(0))
        stage.engine.settle()
        let story = try stage.story()
        stage = try stage.next()
        #expect(try stage.state() == .terminated)
        #expect(try stage.details().row.name == "Photos")
        #expect(try stage.story() == story)
    }

    @Test mutating func `a suspended app is found suspended, and is woken for its session`() throws {
        let process = try stage.openAndLeave()
        stage.engine.advance(by: 1)
        stage = try stage.next()
        #expect(process.isHalted)
        #expect(try stage.state() == .suspended)
        stage.call(for: "photos")
        process.connect()
        stage.engine.advance(by: 1)
        #expect(!process.hasEnded)
        #expect(process.told.contains { if case .handleEvents("photos", _) = $0 { true } else { false } })
        #expect(stage.processes.launches == 0)
    }

    @Test mutating func `an app in front stays in front of the next daemon`() throws {
        let process = try stage.open()
        stage = try stage.next()
        #expect(try stage.state() == .active)
        #expect(try stage.details().row.process == process.identity.number)
    }

    @Test mutating func `a process that ended while there was no daemon is not waited for`() throws {
        let process = try stage.openAndLeave()
        stage.engine.advance(by: 1)
        let processes = stage.processes
        processes.stage = nil
        process.end(.exited(0))
        stage = try stage.next(after: 60)
        #expect(try stage.state() == .terminated)
        stage.call(for: "photos")
        #expect(stage.processes.launches == 1)
    }

    @Test mutating func `after a start of the machine no app runs, and each is known`() throws {
        _ = try stage.openAndLeave()
        stage.engine.advance(by: 1)
        stage = try stage.next(after: 600, isReboot: true)
        #expect(try stage.state() == .terminated)
        stage.call(for: "photos")
        #expect(stage.processes.launches == 1)
    }

    @Test(arguments: [true, false], 1...3)
    mutating func `whenever it is cut off at a launch, the next daemon has one process of the app`(
        isAfter: Bool,
        commit: Int
    ) throws {
        try stage.open().end(.exited(0))
        stage.engine.settle()
        stage.engine.disk.cutOff(at: .init(commit: commit, isAfter: isAfter))
        stage.call(for: "photos")
        stage.engine.advance(by: 1)
        stage = try stage.next()
        stage.call(for: "photos")
        stage.engine.advance(by: 60)
        #expect(stage.processes.running.count == 1)
        let process = try #require(stage.processes.running.values.first)
        #expect(process.told.contains { if case .handleEvents("photos", _) = $0 { true } else { false } })
        #expect(try stage.details().row.process == process.identity.number)
    }

    @Test mutating func `a process that was launched and not yet on record is found, and no second one is launched`()
        throws
    {
        try stage.open().end(.exited(0))
        stage.engine.settle()
        stage.processes.habits.connects = false
        stage.engine.disk.cutOff(at: .init(commit: 2, isAfter: false))
        stage.call(for: "photos")
        #expect(stage.processes.launches == 1)
        let process = try #require(stage.processes.last)
        stage = try stage.next()
        stage.call(for: "photos")
        stage.engine.advance(by: 5)
        #expect(stage.processes.launches == 1)
        #expect(try stage.details().row.process == process.identity.number)
    }

    @Test func `while the disk is full an app waits to be put on stage, and is there afterwards`() throws {
        stage.engine.disk.isFull = true
        let process = stage.processes.start(SupervisorStage.app, token: nil)
        stage.engine.advance(by: 30)
        #expect(process.connection == nil)
        #expect(stage.engine.trouble.standing?.sentence.contains("full") == true)
        stage.engine.disk.isFull = false
        stage.engine.advance(by: 2)
        #expect(process.connection != nil)
        #expect(try stage.state() == .active)
        #expect(stage.engine.trouble.standing == nil)
    }

    @Test func `a process that is not on record when the daemon stops is not put on stage`() throws {
        stage.engine.disk.isFull = true
        stage.processes.habits.connects = false
        let process = stage.processes.start(SupervisorStage.app, token: nil)
        let (center, number) = (stage.center, process.identity.number)
        let attached = stage.engine.begin {
            try await center.attach(AttachApp(view: StageView()), connection: 500, process: number, pidfd: -1)
        }
        stage.engine.advance(by: 30)
        #expect(!attached.hasEnded)
        try stage.engine.run { await center.shutDown() }
        stage.engine.settle()
        let refusal = #expect(throws: WireFailure.self) { try attached.value() }
        #expect(refusal?.code == .shuttingDown)
    }

    @Test func `while the disk is full no app is launched, and afterwards it is launched once`() throws {
        try stage.open().end(.exited(0))
        stage.engine.settle()
        stage.engine.disk.isFull = true
        stage.call(for: "photos")
        stage.engine.advance(by: 30)
        #expect(stage.processes.launches == 0)
        stage.engine.disk.isFull = false
        stage.engine.advance(by: 2)
        #expect(stage.processes.launches == 1)
    }

    @Test mutating func `apps are found once the store can be read, and what came before is not lost`() throws {
        try stage.open().end(.exited(0))
        stage.engine.settle()
        stage = try stage.next { $0.disk.isUnreadable = true }
        stage.call(for: "photos")
        stage.engine.advance(by: 10)
        #expect(stage.processes.launches == 0)
        stage.engine.disk.isUnreadable = false
        stage.engine.advance(by: 2)
        #expect(stage.processes.launches == 1)
    }
}
