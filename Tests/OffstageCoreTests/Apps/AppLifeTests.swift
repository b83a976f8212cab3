// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// An app's life when everyone does as asked.
@Suite struct AppLifeTests {
    @Test func `a program that connects is launched and comes to be active`() {
        var stage = AppLifeStage()
        stage.play(.attached(AppLifeStage.first, StageView()))
        #expect(stage.life.state == .launching)
        #expect(stage.life.process == AppLifeStage.first)
        #expect(stage.life.launchCause == .person)
        #expect(!stage.life.isChild)
        stage.play(.report(.launched))
        #expect(stage.life.state == .inactive)
        stage.play(.report(.state(.active)))
        #expect(stage.life.state == .active)
        #expect(stage.life.nextLook == nil)
        #expect(stage.life.timeEnds == nil)
    }

    @Test func `a launch waits until its token is durable`() {
        var stage = AppLifeStage()
        #expect(stage.handle(.launch(.person)) == [.persist])
        #expect(stage.life.registration.launchToken == "token")
        #expect(stage.life.registration.isInForeground)
        #expect(stage.handle(.committed) == [.spawn(.person, token: "token")])
        #expect(stage.handle(.spawned(AppLifeStage.first)) == [.setPriority(isBackground: false), .persist])
        stage.play(.attached(AppLifeStage.first, StageView()))
        #expect(stage.life.isChild)
        #expect(stage.life.registration.launchToken == nil)
    }

    @Test func `an app with nothing to do is stopped as soon as it has entered the background`() {
        var stage = AppLifeStage.active()
        #expect(
            stage.handle(.background) == [
                .send(.enterBackground(timeEnds: 5030)), .setPriority(isBackground: true), .persist,
            ]
        )
        #expect(stage.life.state == .background)
        #expect(stage.life.timeEnds == 5030)
        #expect(stage.handle(.report(.state(.background))) == [], "the stage is not durable yet")
        #expect(stage.handle(.committed) == [.stop, .observe(after: 0.002)])
        #expect(stage.life.state == .suspended)
        #expect(stage.handle(.observed(isStopped: false)) == [.stop, .observe(after: 0.004)])
        #expect(stage.handle(.observed(isStopped: true)) == [])
        #expect(stage.life.nextLook == nil)
    }

    @Test func `a background task keeps an app running until it is ended`() {
        var stage = AppLifeStage.active()
        stage.play(.report(.beganTask(AppLifeStage.upload)), .background, .report(.state(.background)))
        #expect(stage.life.state == .background)
        #expect(stage.handle(.report(.endedTask(1)), after: 3) == [.stop, .observe(after: 0.002)])
        #expect(stage.life.state == .suspended)
    }

    @Test func `a task that began just before the stop continues the app, whose story counts it once`() {
        var stage = AppLifeStage.suspended()
        #expect(stage.handle(.report(.beganTask(AppLifeStage.upload))).contains(.resume))
        #expect(stage.story.last == .moved(from: .suspended, to: .background, .openTasks(1)))
    }

    @Test func `an app that still holds a task when time is over is killed, with its name on record`() {
        var stage = AppLifeStage.active()
        stage.play(.report(.beganTask(AppLifeStage.upload)), .background, .report(.state(.background)))
        #expect(stage.life.nextLook == 5025)
        #expect(stage.waitForItsTime() == [.send(.expire)])
        #expect(stage.life.nextLook == 5030)
        #expect(stage.waitForItsTime() == [.persist])
        let held = [AppEntry.HeldTask(name: "upload", seconds: 30)]
        #expect(stage.story.last == .killed(.backgroundTimeOver(seconds: 30, tasks: held)))
        #expect(stage.handle(.committed) == [.kill])
        #expect(stage.waitForItsTime() == [.kill])
        stage.play(.ended(.signalled(9)))
        #expect(stage.life.state == .terminated)
        #expect(stage.life.process == nil)
        #expect(stage.life.nextLook == nil)
    }

    @Test func `an app that ends its tasks when they expire is stopped once its handlers have returned`() {
        var stage = AppLifeStage.active()
        stage.play(.report(.beganTask(AppLifeStage.upload)), .background, .report(.state(.background)))
        stage.waitForItsTime()
        #expect(stage.handle(.report(.endedTask(1))) == [])
        #expect(stage.handle(.report(.expired)) == [.stop, .observe(after: 0.002)])
    }

    @Test func `an app whose delegate does not return from the background call is killed`() {
        var stage = AppLifeStage.active()
        stage.play(.background)
        #expect(stage.life.nextLook == 5005)
        stage.waitForItsTime()
        #expect(stage.story.last == .killed(.didEnterBackgroundTooLong(seconds: 5)))
    }

    @Test func `a suspended app that is opened is continued first and then told`() {
        var stage = AppLifeStage.suspended()
        #expect(
            stage.handle(.foreground) == [
                .resume, .observe(after: 0.002), .send(.enterForeground), .setPriority(isBackground: false),
                .deliverEvents(session: nil), .persist,
            ]
        )
        #expect(stage.handle(.observed(isStopped: true)) == [.resume, .observe(after: 0.004)])
        #expect(stage.handle(.observed(isStopped: false)) == [])
        stage.play(.report(.state(.active)))
        #expect(stage.life.state == .active)
    }

    @Test func `a session wakes a suspended app, which is stopped again when it has handled its events`() {
        var stage = AppLifeStage.suspended()
        stage.time = 100
        #expect(
            stage.handle(.sessionNeedsApp("photos")) == [
                .resume, .observe(after: 0.002), .send(.enterBackground(timeEnds: 5130)),
                .send(.handleEvents(session: "photos", timeEnds: 5130)),
            ]
        )
        stage.play(.observed(isStopped: false), .report(.state(.background)))
        #expect(stage.handle(.report(.announced(session: "photos"))) == [.deliverEvents(session: "photos")])
        #expect(stage.handle(.sessionSettled("photos")) == [])
        #expect(stage.handle(.report(.handled(session: "photos"))) == [.stop, .observe(after: 0.002)])
        #expect(stage.story.contains(.handledEvents(session: "photos")))
    }

    @Test func `an app that does not return from the call for its events is killed`() {
        var stage = AppLifeStage.suspended()
        stage.play(.sessionNeedsApp("photos"), .observed(isStopped: false), .report(.state(.background)))
        #expect(stage.life.nextLook == 5030)
        stage.waitForItsTime()
        #expect(stage.story.last == .killed(.eventsTooLong(session: "photos", seconds: 30)))
    }

    @Test func `a session launches an app that does not run, and tells it once it is in background`() {
        var stage = AppLifeStage.launchingInBackground()
        #expect(stage.life.launchCause == .sessionEvents("photos"))
        #expect(stage.life.timeEnds == 5030)
        stage.play(.report(.launched))
        #expect(stage.life.state == .background)
        #expect(
            stage.handle(.report(.state(.background))) == [.send(.handleEvents(session: "photos", timeEnds: 5030))]
        )
        stage.play(.report(.announced(session: "photos")), .report(.handled(session: "photos")))
        #expect(stage.life.state == .background, "its events may still be on their way")
        stage.play(.sessionSettled("photos"))
        #expect(stage.life.state == .suspended)
    }

    @Test func `an app that was swiped away is launched by nothing but a person`() {
        var stage = AppLifeStage.active()
        #expect(stage.handle(.quit(keepsTransfers: false)) == [.cancelTransfers, .send(.terminate), .persist])
        stage.play(.ended(.exited(0)))
        #expect(stage.handle(.sessionNeedsApp("photos")) == [])
        #expect(stage.handle(.launch(.person)) == [.persist])
        #expect(!stage.life.registration.isQuit)
    }

    @Test func `a new daemon gives an app in background what was left of its time`() {
        func restored(timeEnds: Double) -> Double? {
            var stage = AppLifeStage {
                $0.process = .init(identity: AppLifeStage.first, bootID: Fixture.moment(0).bootID, isChild: false)
            }
            let view = StageView(state: .background, tasks: [AppLifeStage.upload], timeEnds: timeEnds)
            stage.play(.restored(isStopped: false), .attached(AppLifeStage.first, view))
            return stage.life.timeEnds
        }
        #expect(restored(timeEnds: 5012) == 5012)
        // Its handlers have their time, whatever happened to the daemon; and no app gives itself more than it may have.
        #expect(restored(timeEnds: 4990) == 5005)
        #expect(restored(timeEnds: 9000) == 5030)
    }

    @Test func `an app that does not end when it is told to is killed`() {
        var stage = AppLifeStage.active()
        #expect(stage.handle(.terminate) == [.send(.terminate), .persist])
        #expect(stage.story.last == .toldToEnd(.terminated))
        #expect(stage.handle(.committed) == [])
        stage.waitForItsTime()
        #expect(stage.story.last == .killed(.terminateTooLong(seconds: 5)))
        #expect(stage.handle(.committed) == [.kill])
    }

    @Test func `a suspended app is killed without being told`() {
        for (event, reason) in [
            (AppEvent.quit(keepsTransfers: true), AppEntry.KillReason.quit), (.terminate, .terminated),
            (.reclaim, .memoryPressure),
        ] {
            var stage = AppLifeStage.suspended()
            #expect(stage.handle(event) == [.persist])
            #expect(stage.story.last == .killed(reason))
            #expect(stage.handle(.committed) == [.kill])
        }
    }
}
