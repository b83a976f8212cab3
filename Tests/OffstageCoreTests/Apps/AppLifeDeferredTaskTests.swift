// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// Deferred work, when all goes well and when it does not: every start has exactly one end.
@Suite struct AppLifeDeferredTaskTests {
    private static let refresh = AppLifeStage.refresh
    private static let continued = TaskLaunch(
        number: 8,
        identifier: "film",
        kind: .continued,
        seconds: nil,
        title: "Film"
    )

    private static func completed(_ number: UInt64 = 7, success: Bool = true) -> AppEvent {
        .report(.taskCompleted(TaskCompletion(number: number, success: success)))
    }

    /// Launched for the task, and notified of it.
    private func launched() -> AppLifeStage {
        var stage = AppLifeStage()
        stage.play(
            .startTask(Self.refresh),
            .spawned(AppLifeStage.first),
            .attached(AppLifeStage.first, StageView()),
            .report(.launched)
        )
        return stage
    }

    @Test func `an app that does not run is launched for its task, runs it, and is stopped`() {
        var stage = AppLifeStage()
        #expect(stage.handle(.startTask(Self.refresh)) == [.persist])
        #expect(stage.handle(.committed) == [.spawn(.task("sync"), token: "token")])
        stage.play(.spawned(AppLifeStage.first), .attached(AppLifeStage.first, StageView()))
        #expect(stage.life.launchCause == .task("sync"))
        #expect(
            stage.handle(.report(.launched)) == [
                .send(.startTask(Self.refresh, timeEnds: 5060)), .send(.backgroundTime(ends: 5060)),
            ]
        )
        #expect(stage.life.timeEnds == 5060)
        #expect(stage.handle(.report(.state(.background))) == [])
        #expect(stage.handle(.report(.taskEntered(7))) == [.taskNotice(.entered(7))])
        #expect(
            stage.handle(Self.completed(), after: 3) == [
                .taskNotice(.ended(7, .completed(success: true))), .stop, .observe(after: 0.002),
                .send(.backgroundTime(ends: 5030)),
            ]
        )
        #expect(stage.life.state == .suspended)
        #expect(stage.story.contains(.taskBegan("sync")))
        #expect(stage.story.contains(.taskEnded("sync", .completed(success: true))))
    }

    @Test func `tasks that are due while the app is launched are all told of when it is`() {
        var stage = AppLifeStage()
        stage.play(.startTask(Self.refresh), .startTask(Self.continued), .spawned(AppLifeStage.first))
        stage.play(.attached(AppLifeStage.first, StageView()), .report(.launched))
        #expect(stage.actions.contains(.send(.startTask(Self.refresh, timeEnds: 5060))))
        #expect(stage.actions.contains(.send(.startTask(Self.continued, timeEnds: nil))))
        #expect(stage.life.tasksUnderWay == [7, 8])
    }

    @Test func `an app is not stopped before the last of its tasks is completed`() {
        var stage = AppLifeStage.working()
        stage.play(.startTask(Self.continued), .report(.taskEntered(8)))
        stage.play(Self.completed())
        #expect(stage.life.state == .background)
        stage.play(Self.completed(8, success: false))
        #expect(stage.notices == [.ended(8, .completed(success: false))])
        #expect(stage.life.state == .suspended)
    }

    @Test func `a task in front leaves the app there`() {
        var stage = AppLifeStage.active()
        #expect(stage.handle(.startTask(Self.refresh)) == [.send(.startTask(Self.refresh, timeEnds: 5060))])
        stage.play(.report(.taskEntered(7)), Self.completed())
        #expect(stage.life.state == .active)
        #expect(stage.life.timeEnds == nil)
    }

    @Test func `a task that began in front keeps the app running behind`() {
        var stage = AppLifeStage.active()
        stage.play(.startTask(Self.refresh), .report(.taskEntered(7)))
        #expect(stage.handle(.background).first == .send(.enterBackground(timeEnds: 5060)))
        stage.play(.committed, .report(.state(.background)))
        #expect(stage.life.state == .background)
        stage.play(Self.completed())
        #expect(stage.life.state == .suspended)
    }

    @Test func `a task whose time is over is told to end, and completed in time it has expired`() {
        var stage = AppLifeStage.working()
        #expect(stage.life.nextLook == 5055)
        #expect(stage.waitForItsTime() == [.send(.expireTask(7, .timeOver))])
        #expect(stage.story.last == .taskExpiring("sync", .timeOver))
        stage.play(Self.completed(success: false))
        #expect(stage.notices == [.ended(7, .expired(.timeOver, success: false))])
        #expect(stage.life.state == .suspended)
    }

    @Test func `an app that does not complete its task is killed, and left alone for a while`() {
        var stage = AppLifeStage.working()
        stage.waitForItsTime()
        stage.waitForItsTime()
        #expect(stage.story.last == .killed(.taskTooLong(identifier: "sync", seconds: 60)))
        #expect(stage.handle(.committed) == [.kill])
        #expect(stage.life.hold(at: stage.now) == .ending)
        stage.play(.ended(.signalled(9)))
        #expect(stage.notices == [.ended(7, .killed(.timeOver, seconds: 60))])
        #expect(stage.life.hold(at: stage.now) == .backedOff(until: 5065, crashes: 1))
        stage.play(.startTask(Self.refresh))
        #expect(stage.notices == [.returned(7, "Its app has just ended too early.")])
    }

    @Test func `a task that is completed while its app is being killed has expired`() {
        var stage = AppLifeStage.working()
        stage.waitForItsTime()
        stage.waitForItsTime()
        stage.play(Self.completed())
        #expect(stage.notices == [.ended(7, .expired(.timeOver, success: true))])
        stage.play(.ended(.signalled(9)))
        #expect(stage.notices == [])
    }

    @Test func `whatever else ends a task leaves it five seconds`() {
        var stage = AppLifeStage.working(.init(time: BackgroundTimeProfile(taskTime: 3)))
        stage.time = 10
        stage.play(.expireTask(7, .machineBusy))
        #expect(stage.actions.first == .send(.expireTask(7, .machineBusy)))
        #expect(stage.life.nextLook == 5015)
        #expect(stage.handle(.expireTask(7, .powerLost)) == [])
        stage.waitForItsTime()
        stage.play(.committed, .ended(.signalled(9)))
        #expect(stage.notices == [.ended(7, .killed(.machineBusy, seconds: 15))])
    }

    @Test func `a task that is to end before it is told of comes back, unless a person has cancelled it`() {
        for (expiry, notice) in [
            (
                TaskExpiry.machineBusy,
                TaskNotice.returned(7, "It was told to end before it had begun, since the machine was no longer idle.")
            ),
            (.cancelledByPerson, .ended(7, .expired(.cancelledByPerson, success: false))),
        ] {
            var stage = AppLifeStage()
            stage.play(.startTask(Self.refresh), .expireTask(7, expiry))
            #expect(stage.notices == [notice])
        }
    }

    // MARK: Not begun

    /// Notified of the task; its handler waits for its turn on one of the app's queues.
    private func waiting() -> AppLifeStage {
        var stage = launched()
        stage.play(.report(.state(.background)))
        return stage
    }

    @Test func `a task whose time is over before its handler was called comes back`() {
        var stage = waiting()
        #expect(stage.waitForItsTime() == [.send(.expireTask(7, .timeOver))])
        stage.play(Self.completed(success: false))
        #expect(
            stage.notices == [.returned(7, "It was told to end before it had begun, since its time was over.")]
        )
        #expect(stage.life.state == .suspended)
        #expect(!stage.story.contains { if case .taskEnded = $0 { true } else { false } })
    }

    @Test func `a task that is to end before its handler was called comes back, unless a person has cancelled it`() {
        for (expiry, notice) in [
            (
                TaskExpiry.machineBusy,
                TaskNotice.returned(7, "It was told to end before it had begun, since the machine was no longer idle.")
            ),
            (.cancelledByPerson, .ended(7, .expired(.cancelledByPerson, success: false))),
        ] {
            var stage = waiting()
            stage.play(.expireTask(7, expiry), Self.completed(success: false))
            #expect(stage.notices == [notice])
        }
    }

    @Test func `a task whose handler is called after it was told to end has its end`() {
        var stage = waiting()
        stage.waitForItsTime()
        stage.play(.report(.taskEntered(7)), Self.completed())
        #expect(stage.notices == [.ended(7, .expired(.timeOver, success: true))])
    }

    @Test func `a task whose app is killed before its handler was called comes back`() {
        var stage = waiting()
        stage.waitForItsTime()
        stage.waitForItsTime()
        #expect(stage.story.last == .killed(.taskTooLong(identifier: "sync", seconds: 60)))
        stage.play(.committed, .ended(.signalled(9)))
        #expect(stage.notices == [.returned(7, "Its app was ended by signal 9 before the task's handler was called.")])
    }

    @Test func `a task that a person cancels before its handler was called is over though its app is killed`() {
        var stage = waiting()
        stage.play(.expireTask(7, .cancelledByPerson))
        stage.waitForItsTime()
        stage.play(.committed, .ended(.signalled(9)))
        #expect(stage.notices == [.ended(7, .killed(.cancelledByPerson, seconds: 5))])
    }

    @Test func `a task that its app leaves out comes back, unless a person has cancelled it`() {
        var stage = launched()
        stage.play(.report(.state(.background)))
        #expect(stage.waitForItsTime() == [.send(.expireTask(7, .timeOver))])
        stage.play(.report(.taskLeftOut(7)))
        #expect(stage.notices == [.returned(7, "It was told to end before it had begun, since its time was over.")])
        #expect(stage.life.tasksUnderWay == [])
        #expect(stage.life.state == .suspended)
        #expect(stage.life.registration.backoff.crashes == 0)
        stage = launched()
        stage.play(.expireTask(7, .cancelledByPerson), .report(.taskLeftOut(7)))
        #expect(stage.notices == [.ended(7, .expired(.cancelledByPerson, success: false))])
    }

    @Test func `a task that was entered is not left out`() {
        var stage = AppLifeStage.working()
        stage.play(.expireTask(7, .machineBusy), .report(.taskLeftOut(7)))
        #expect(stage.notices == [])
        #expect(stage.life.tasksUnderWay == [7])
    }

    // MARK: In front

    @Test func `an app in front is not killed for a task that it does not complete`() {
        for expiry in [nil, TaskExpiry.machineBusy, .cancelledByPerson] {
            var stage = AppLifeStage.active()
            stage.play(.startTask(Self.refresh), .report(.taskEntered(7)))
            if let expiry { stage.play(.expireTask(7, expiry)) } else { stage.waitForItsTime() }
            stage.waitForItsTime()
            #expect(stage.notices == [.ended(7, .expired(expiry ?? .timeOver, success: false))])
            #expect(stage.life.state == .active)
            #expect(!stage.life.isEnding)
            #expect(stage.life.nextLook == nil)
            #expect(stage.handle(Self.completed()) == [])
        }
    }

    @Test func `a task in front that was not begun in all of its time comes back`() {
        var stage = AppLifeStage.active()
        stage.play(.startTask(Self.refresh))
        stage.waitForItsTime()
        stage.waitForItsTime()
        #expect(
            stage.notices == [.returned(7, "It was told to end before it had begun, since its time was over.")]
        )
        #expect(stage.life.state == .active)
    }

    @Test func `an app that goes behind with a task that is to end is killed when it does not`() {
        var stage = AppLifeStage.active()
        stage.play(.startTask(Self.refresh), .report(.taskEntered(7)), .expireTask(7, .machineBusy))
        stage.play(.background, .report(.state(.background)))
        stage.waitForItsTime()
        #expect(stage.story.last == .killed(.taskTooLong(identifier: "sync", seconds: 5)))
    }

    // MARK: Continued processing and programs of other kinds

    @Test func `continued processing has no end of its own`() {
        var stage = AppLifeStage.working(.init(), Self.continued)
        #expect(stage.life.nextLook == nil)
        #expect(stage.life.isSettled)
        stage.play(.report(.taskProgress(8, AppLifeStage.halfWay)))
        #expect(stage.notices == [.progress(8, AppLifeStage.halfWay)])
        stage.play(.expireTask(8, .cancelledByPerson))
        #expect(stage.life.nextLook == 5005)
    }

    @Test func `a task without a handler is over`() {
        var stage = launched()
        stage.play(.report(.state(.background)), .report(.taskUnclaimed(7)))
        #expect(stage.notices == [.ended(7, .noHandler)])
        #expect(stage.life.state == .suspended)
    }

    @Test func `an app that ends before its handler was entered is asked again, and one that ends in it is not`() {
        var stage = launched()
        stage.play(.ended(.signalled(11)))
        #expect(stage.notices == [.returned(7, "Its app was ended by signal 11 before the task's handler was called.")])
        #expect(stage.life.registration.backoff.crashes == 1)
        stage = launched()
        stage.play(.report(.taskEntered(7)), .ended(.signalled(11)))
        #expect(stage.notices == [.ended(7, .appEnded(.signalled(11)))])
        #expect(stage.life.registration.backoff.crashes == 1)
    }

    @Test func `an app that never finishes launching is killed, and its task comes back`() {
        var stage = AppLifeStage()
        stage.play(.startTask(Self.refresh), .spawned(AppLifeStage.first))
        stage.waitForItsTime()
        #expect(stage.story.last == .killed(.launchTooLong(seconds: 20)))
        stage.play(.committed, .ended(.signalled(9)))
        #expect(stage.notices.count == 1)
        #expect(stage.life.tasksUnderWay == [])
    }

    @Test func `an executable that is gone ends the task, and a lack of processes does not`() {
        for (isForGood, notice) in [
            (true, TaskNotice.ended(7, .launchFailed("No."))), (false, .returned(7, "No.")),
        ] {
            var stage = AppLifeStage()
            stage.play(.startTask(Self.refresh), .spawnFailed("No.", isForGood: isForGood))
            #expect(stage.notices == [notice])
        }
    }

    @Test func `a program that never connects is waited for as long as a launch may take`() {
        var stage = AppLifeStage()
        stage.play(.launch(.person), .spawned(AppLifeStage.first), .startTask(Self.refresh))
        #expect(stage.life.nextLook == 5020)
        stage.waitForItsTime()
        #expect(stage.notices == [.returned(7, "Its app could not be notified within 20 s.")])
        #expect(stage.life.nextLook == nil)
    }
}
