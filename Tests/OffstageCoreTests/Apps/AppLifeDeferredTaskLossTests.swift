// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// Deferred work when people quit apps, connections are lost, machines sleep, and daemons restart.
@Suite struct AppLifeDeferredTaskLossTests {
    private static let refresh = AppLifeStage.refresh
    private static let continued = TaskLaunch(number: 8, identifier: "film", kind: .continued, seconds: nil)

    private static func view(_ running: [UInt64: Bool] = [:], completed: [TaskCompletion] = []) -> StageView {
        StageView(state: .background, runningTasks: running, completedTasks: completed)
    }

    private static func restored(isInForeground: Bool = false) -> AppLifeStage {
        var stage = AppLifeStage {
            $0.process = .init(identity: AppLifeStage.first, bootID: Fixture.moment(0).bootID, isChild: true)
            $0.isInForeground = isInForeground
        }
        stage.play(.restored(isStopped: false))
        return stage
    }

    // MARK: People

    @Test func `who is quit runs nothing, and comes back to what was not begun`() {
        var stage = AppLifeStage.working()
        stage.play(.startTask(Self.continued), .report(.taskEntered(8)))
        stage.play(.startTask(TaskLaunch(number: 9, identifier: "late", kind: .refresh, seconds: 30)))
        stage.play(.quit(keepsTransfers: true))
        #expect(stage.life.hold(at: stage.now) == .quit)
        stage.play(.ended(.exited(0)))
        #expect(
            stage.notices == [
                .ended(7, .appEnded(.exited(0))), .ended(8, .quit),
                .returned(9, "Its app ended with status 0 before the task's handler was called."),
            ]
        )
        #expect(stage.handle(.startTask(Self.refresh)) == [.taskNotice(.returned(7, "A person has quit its app."))])
        #expect(stage.handle(.launch(.task("sync"))) == [])
    }

    @Test func `a task that its app completes as it is told to end is completed`() {
        var stage = AppLifeStage.working()
        stage.play(.terminate, .report(.taskCompleted(TaskCompletion(number: 7, success: true))))
        #expect(stage.notices == [.ended(7, .completed(success: true))])
        stage.play(.ended(.exited(0)))
        #expect(stage.notices == [])
    }

    @Test func `a launch that is given up has its task come back`() {
        for event in [AppEvent.quit(keepsTransfers: true), .terminate] {
            var stage = AppLifeStage()
            stage.handle(.startTask(Self.refresh))
            stage.handle(event)
            #expect(stage.notices == [.returned(7, "Its app was told to end before it was launched.")])
            #expect(stage.life.state == .terminated)
        }
    }

    @Test func `the process that takes the place of another has none of its tasks`() {
        var stage = AppLifeStage.working()
        stage.play(.attached(AppLifeStage.second, StageView()), .ended(.signalled(9)))
        #expect(stage.notices == [.ended(7, .appEnded(.signalled(9)))])
        #expect(stage.life.process == AppLifeStage.second)
        #expect(stage.life.tasksUnderWay == [])
    }

    @Test func `Apple's limit on wakes does not count those for tasks`() {
        let strict = AppLife.Policy(isStrict: true)
        var stage = AppLifeStage.suspended(strict)
        for _ in 0..<3 {
            stage.play(.startTask(Self.refresh), .observed(isStopped: false), .report(.state(.background)))
            stage.play(.report(.taskEntered(7)), .report(.taskCompleted(TaskCompletion(number: 7, success: true))))
            #expect(stage.life.state == .suspended)
        }
        #expect(stage.life.registration.backoff.wakes == 0)
    }

    // MARK: Connections

    @Test func `a connection that comes back finds the task as it left it`() {
        var stage = AppLifeStage.working()
        stage.play(.disconnected, .attached(AppLifeStage.first, Self.view([7: true])))
        #expect(stage.notices == [])
        #expect(stage.life.tasksUnderWay == [7])
        #expect(stage.life.nextLook == 5055)
    }

    @Test func `what a process was told and did not hear it is told again`() {
        var stage = AppLifeStage.suspended()
        stage.play(.startTask(Self.refresh), .observed(isStopped: false), .disconnected)
        stage.handle(.attached(AppLifeStage.first, Self.view()), after: 1)
        #expect(stage.actions.contains(.send(.startTask(Self.refresh, timeEnds: 5061))))
    }

    @Test func `what was completed without a connection is completed`() {
        var stage = AppLifeStage.working()
        let view = Self.view(completed: [TaskCompletion(number: 7, success: false)])
        stage.play(.disconnected, .attached(AppLifeStage.first, view))
        #expect(stage.notices == [.ended(7, .completed(success: false))])
        #expect(stage.life.state == .suspended)
    }

    @Test func `a process that does not connect again has done with its tasks`() {
        for isInFront in [true, false] {
            var stage = isInFront ? AppLifeStage.active() : AppLifeStage.working()
            if isInFront { stage.play(.startTask(Self.refresh), .report(.taskEntered(7))) }
            stage.play(.startTask(Self.continued))
            stage.play(.disconnected)
            #expect(stage.life.nextLook == 5010)
            stage.waitForItsTime()
            #expect(
                stage.notices == [
                    .ended(7, .appEnded(.unknown)),
                    .returned(8, "Its app's process is no longer connected to the daemon."),
                ]
            )
        }
    }

    // MARK: What was not heard

    @Test func `a connection that comes back late leaves a task that is to end its warning`() {
        var stage = AppLifeStage.working()
        stage.waitForItsTime()
        stage.handle(.disconnected, after: 1)
        stage.handle(.attached(AppLifeStage.first, Self.view([7: true])), after: 8)
        #expect(stage.actions.contains(.send(.expireTask(7, .timeOver))))
        #expect(stage.life.nextLook == stage.now.uptime + 5)
        #expect(!stage.life.isEnding)
    }

    @Test func `a task that was forgotten without a connection, being told to end before it had begun, comes back`() {
        for (expiry, notice) in [
            (
                TaskExpiry.powerLost,
                TaskNotice.returned(7, "It was told to end before it had begun, since external power was gone.")
            ),
            (.cancelledByPerson, .ended(7, .expired(.cancelledByPerson, success: false))),
        ] {
            var stage = AppLifeStage.suspended()
            stage.play(.startTask(Self.refresh), .observed(isStopped: false), .report(.state(.background)))
            stage.play(.expireTask(7, expiry), .disconnected, .attached(AppLifeStage.first, Self.view()))
            #expect(stage.notices == [notice])
            #expect(stage.life.tasksUnderWay == [])
        }
    }

    @Test func `background tasks have the time of the task, and what is left when that is over`() {
        var stage = AppLifeStage.working()
        stage.handle(.report(.beganTask(AppLifeStage.upload)), after: 40)
        #expect(stage.actions == [], "more than the time that a backgrounding has")
        stage.play(.report(.taskCompleted(TaskCompletion(number: 7, success: true))))
        #expect(stage.life.state == .background)
        #expect(stage.actions.last == .send(.backgroundTime(ends: 5045)))
        #expect(stage.life.nextLook == 5040)
        #expect(stage.waitForItsTime() == [.send(.expire)])
    }

    // MARK: A new daemon

    @Test func `a new daemon that asks first has the task told when the process is back`() {
        var stage = Self.restored()
        stage.handle(.startTask(Self.refresh))
        #expect(stage.notices == [])
        stage.handle(.attached(AppLifeStage.first, Self.view([7: true])), after: 1)
        #expect(stage.notices == [.entered(7)])
        #expect(stage.life.nextLook == 5056, "its time anew")
    }

    @Test func `a new daemon that asks late finds the task under way`() {
        var stage = Self.restored()
        stage.play(.attached(AppLifeStage.first, Self.view([7: true])))
        #expect(stage.life.state == .background)
        stage.handle(.startTask(Self.refresh), after: 2)
        #expect(stage.notices == [.entered(7)])
        stage.play(.report(.taskCompleted(TaskCompletion(number: 7, success: true))))
        #expect(stage.notices == [.ended(7, .completed(success: true))])
        #expect(stage.life.state == .suspended)
    }

    @Test func `a task that nobody asks for keeps the app running for a moment only`() {
        var stage = Self.restored()
        stage.play(.attached(AppLifeStage.first, Self.view([7: true])))
        #expect(stage.life.nextLook == 5010)
        stage.waitForItsTime()
        #expect(stage.notices == [])
        #expect(stage.life.state == .suspended)
    }

    @Test func `a task that was only found in a process, and that it has no more, is not told to it`() {
        var stage = Self.restored()
        stage.play(.attached(AppLifeStage.first, Self.view([7: false])), .disconnected)
        #expect(stage.life.tasksUnderWay == [7])
        stage.play(.attached(AppLifeStage.first, Self.view()))
        #expect(stage.life.tasksUnderWay == [])
        #expect(stage.notices == [])
    }

    @Test func `a new daemon has a task that was completed meanwhile told once`() {
        var stage = Self.restored()
        stage.handle(.startTask(Self.refresh))
        let view = Self.view(completed: [TaskCompletion(number: 7, success: true)])
        stage.play(.attached(AppLifeStage.first, view))
        #expect(stage.notices == [.ended(7, .completed(success: true))])
        #expect(stage.life.state == .suspended)
    }

    @Test(arguments: [true, false])
    func `a new daemon whose app does not connect again has its task back, unless that was entered`(
        isInForeground: Bool
    ) {
        for (event, notice) in [
            (
                AppEvent.startTask(Self.refresh),
                TaskNotice.returned(7, "Its app's process is no longer connected to the daemon.")
            ),
            (.resumeTask(Self.refresh), .ended(7, .appEnded(.unknown))),
        ] {
            var stage = Self.restored(isInForeground: isInForeground)
            stage.handle(event)
            stage.waitForItsTime()
            #expect(stage.notices == [notice])
            #expect(stage.life.tasksUnderWay == [])
        }
    }

    // MARK: A new daemon, and a task whose handler was entered

    private static let nobodyKnows = TaskNotice.returned(
        7,
        "The app's process that ran it has ended, and it is not known how."
    )

    /// Whether the process connects before or after its task is asked for.
    private static func resumed(_ view: StageView, isLate: Bool) -> AppLifeStage {
        var stage = restored()
        if isLate {
            stage.handle(.resumeTask(refresh))
            #expect(stage.notices == [])
            stage.play(.attached(AppLifeStage.first, view))
        } else {
            stage.play(.attached(AppLifeStage.first, view), .resumeTask(refresh))
        }
        return stage
    }

    @Test(arguments: [true, false])
    func `a task goes on in the process that has it`(isLate: Bool) {
        var stage = Self.resumed(Self.view([7: true]), isLate: isLate)
        #expect(stage.life.tasksUnderWay == [7])
        #expect(stage.life.nextLook == 5055, "its time anew")
        stage.play(.report(.taskCompleted(TaskCompletion(number: 7, success: true))))
        #expect(stage.notices == [.ended(7, .completed(success: true))])
        #expect(stage.life.state == .suspended)
    }

    @Test(arguments: [true, false])
    func `a task that was completed without a daemon is completed`(isLate: Bool) {
        let view = Self.view(completed: [TaskCompletion(number: 7, success: false)])
        let stage = Self.resumed(view, isLate: isLate)
        #expect(stage.notices == [.ended(7, .completed(success: false))])
        #expect(stage.life.tasksUnderWay == [])
    }

    @Test(arguments: [true, false])
    func `a task that the process does not know comes back, and is not told`(isLate: Bool) {
        let stage = Self.resumed(Self.view(), isLate: isLate)
        #expect(stage.notices == [Self.nobodyKnows])
        #expect(!stage.actions.contains { if case .send(.startTask) = $0 { true } else { false } })
        #expect(stage.life.tasksUnderWay == [])
    }

    @Test func `a task whose app a person has opened again comes back, and is not told`() {
        var stage = AppLifeStage()
        stage.play(.restored(isStopped: nil), .attached(AppLifeStage.second, StageView()), .resumeTask(Self.refresh))
        #expect(stage.notices == [Self.nobodyKnows])
        stage.play(.report(.launched), .report(.state(.active)))
        #expect(stage.actions == [])
        #expect(stage.handle(.startTask(Self.refresh)) == [.send(.startTask(Self.refresh, timeEnds: 5060))])
    }

    @Test func `a task whose app has no process comes back, and nothing is launched`() {
        var stage = AppLifeStage()
        #expect(stage.handle(.resumeTask(Self.refresh)) == [.taskNotice(Self.nobodyKnows)])
        #expect(stage.life.state == .terminated)
    }

    @Test func `a task whose process ends before it connects has ended with it, as with the daemon before`() {
        var stage = Self.restored()
        stage.play(.resumeTask(Self.refresh), .ended(.signalled(9)))
        #expect(stage.notices == [.ended(7, .appEnded(.signalled(9)))])
    }

    @Test func `a task whose process gives way to another before it connects has ended with it`() {
        var stage = Self.restored()
        stage.play(.resumeTask(Self.refresh), .attached(AppLifeStage.second, StageView()), .ended(.signalled(9)))
        #expect(stage.notices == [.ended(7, .appEnded(.signalled(9)))])
        #expect(stage.life.process == AppLifeStage.second)
    }

    @Test func `a task that ends between the process's word and the schedule's has ended`() {
        var stage = Self.restored()
        stage.play(.attached(AppLifeStage.first, Self.view([7: true])))
        stage.play(.report(.taskCompleted(TaskCompletion(number: 7, success: true))), .resumeTask(Self.refresh))
        #expect(stage.notices == [.ended(7, .completed(success: true))])
    }

    @Test func `an app that was stopped is woken to say what became of its task`() {
        var stage = AppLifeStage {
            $0.process = .init(identity: AppLifeStage.first, bootID: Fixture.moment(0).bootID, isChild: true)
        }
        stage.play(.restored(isStopped: true))
        #expect(stage.life.state == .suspended)
        stage.handle(.resumeTask(Self.refresh))
        #expect(stage.actions.contains(.resume))
        stage.play(.observed(isStopped: false))
        stage.play(
            .attached(AppLifeStage.first, Self.view(completed: [TaskCompletion(number: 7, success: true)])),
            .report(.state(.background))
        )
        #expect(stage.life.tasksUnderWay == [])
    }

    @Test func `a task that is to end before its process connects is told so then`() {
        var stage = Self.restored()
        stage.play(.resumeTask(Self.refresh), .expireTask(7, .machineBusy))
        stage.handle(.attached(AppLifeStage.first, Self.view([7: true])), after: 1)
        #expect(stage.actions.contains(.send(.expireTask(7, .machineBusy))))
        #expect(stage.life.nextLook == 5006)
    }
}
