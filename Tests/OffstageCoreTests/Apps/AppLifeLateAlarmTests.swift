// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// Alarms that fire long after their time: the machine has slept, and the app with it.
@Suite struct AppLifeLateAlarmTests {
    @Test func `after a sleep the expiration handlers have their time`() {
        var stage = AppLifeStage.active()
        stage.play(.report(.beganTask(AppLifeStage.upload)), .background, .report(.state(.background)))
        // Due at 5025, a minute ago.
        #expect(stage.handle(.timeIsUp, after: 85) == [.send(.backgroundTime(ends: 5091))])
        #expect(stage.life.timeEnds == 5091)
        #expect(stage.life.nextLook == 5086)
        #expect(stage.waitForItsTime() == [.send(.expire)])
        #expect(stage.life.nextLook == 5091)
        stage.waitForItsTime()
        #expect(stage.life.isEnding)
    }

    @Test func `a sleep while the expiration handlers run does not count`() {
        var stage = AppLifeStage.active()
        stage.play(.report(.beganTask(AppLifeStage.upload)), .background, .report(.state(.background)))
        stage.waitForItsTime()
        #expect(stage.handle(.timeIsUp, after: 65) == [.send(.backgroundTime(ends: 5091))])
        #expect(!stage.life.isEnding)
        stage.play(.report(.endedTask(1)), .report(.expired))
        #expect(stage.life.state == .suspended)
    }

    @Test func `handlers that are called a little late have the time of their warning`() {
        var stage = AppLifeStage.active(AppLife.Policy(time: BackgroundTimeProfile(taskTime: 0.125)))
        stage.play(.report(.beganTask(AppLifeStage.upload)), .background, .report(.state(.background)))
        // Called at the very end: half of the time is the warning.
        #expect(stage.handle(.timeIsUp, after: 0.125) == [.send(.backgroundTime(ends: 5000.1875)), .send(.expire)])
        #expect(stage.life.nextLook == 5000.1875)
    }

    @Test func `a sleep that is told of is made up for to the second`() {
        var stage = AppLifeStage.active()
        stage.play(.report(.beganTask(AppLifeStage.upload)), .background, .report(.state(.background)))
        #expect(stage.handle(.machineSlept(60), after: 70) == [.send(.backgroundTime(ends: 5090))])
        #expect(stage.life.nextLook == 5085)
        #expect(stage.handle(.timeIsUp) == [])
        #expect(stage.waitForItsTime() == [.send(.expire)])
    }

    @Test(arguments: [-1e308, 1e308, -1, 0, .infinity, .nan]) func `no sleep leaves a deadline that never comes`(
        seconds: Double
    ) {
        var stage = AppLifeStage.active()
        stage.play(.report(.beganTask(AppLifeStage.upload)), .background, .report(.state(.background)))
        for _ in 0..<3 {
            stage.handle(.machineSlept(seconds))
            #expect(stage.life.nextLook?.isFinite == true)
            stage.handle(.timeIsUp)
        }
    }

    @Test func `a sleep is held against no call that the app is in`() {
        var entering = AppLifeStage.active()
        entering.play(.background)
        var handling = AppLifeStage.suspended()
        handling.play(.sessionNeedsApp("photos"), .observed(isStopped: false), .report(.state(.background)))
        var launching = AppLifeStage.launchingInBackground()
        var ending = AppLifeStage.active()
        ending.play(.terminate)
        func sleeps(_ stage: inout AppLifeStage) {
            let wasEnding = stage.life.isEnding
            stage.time = (stage.life.nextLook ?? 0) - 5000
            stage.handle(.timeIsUp, after: 60)
            #expect(!stage.actions.contains(.persist), "nothing is killed")
            #expect(stage.life.isEnding == wasEnding)
            #expect(stage.life.nextLook == stage.time + 5001)
            stage.waitForItsTime()
            #expect(stage.actions.contains(.persist), "it had its time")
        }
        sleeps(&entering)
        sleeps(&handling)
        sleeps(&launching)
        sleeps(&ending)
    }

    // MARK: Deferred work

    @Test func `time in which the machine slept is not held against a task`() {
        var stage = AppLifeStage.working()
        stage.time = 600
        stage.handle(.timeIsUp)
        // The task is asked to end a moment later, with its full warning time.
        #expect(stage.life.nextLook == 5601)
        #expect(stage.life.tasksUnderWay == [7])
        #expect(stage.waitForItsTime() == [.send(.expireTask(7, .timeOver))])
        #expect(stage.life.nextLook == 5606)
    }

    @Test func `time in which the machine slept is not held against a task, however early it wakes`() {
        var stage = AppLifeStage.working()
        stage.time = 40
        stage.handle(.machineSlept(30))
        #expect(stage.actions == [.send(.backgroundTime(ends: 5090))])
        #expect(stage.life.nextLook == 5085)
        #expect(stage.waitForItsTime() == [.send(.expireTask(7, .timeOver))])
        stage.waitForItsTime()
        #expect(stage.story.last == .killed(.taskTooLong(identifier: "sync", seconds: 60)))
    }

    @Test func `a task whose time would have ended in a sleep has all that was left of it`() {
        var stage = AppLifeStage.working()
        stage.time = 610
        #expect(stage.handle(.machineSlept(600)) == [.send(.backgroundTime(ends: 5660))])
        #expect(stage.handle(.timeIsUp) == [])
        #expect(stage.life.nextLook == 5655)
    }
}
