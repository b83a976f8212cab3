// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// The steps between the end of an app's last hold and its suspension.
@Suite struct AppLifeSuspensionTests {
    private static let ask = AppAction.send(.prepareToSuspend(1))
    private static let stop: [AppAction] = [.stop, .observe(after: 0.002)]

    /// In background, with a background task that has just ended.
    private static func resting(_ policy: AppLife.Policy = .init()) -> AppLifeStage {
        var stage = AppLifeStage.active(policy, restsAtOnce: false)
        stage.play(
            .report(.beganTask(AppLifeStage.upload)),
            .background,
            .report(.state(.background)),
            .report(.endedTask(1))
        )
        return stage
    }

    private static func asked() -> AppLifeStage {
        var stage = resting()
        stage.waitForItsTime()
        return stage
    }

    @Test func `an app that nothing holds goes on for its grace, is asked, and is stopped when it says so`() {
        var stage = Self.resting()
        #expect(stage.actions.isEmpty)
        #expect(stage.life.nextLook == 5000.25)
        #expect(stage.handle(.timeIsUp, after: 0.25) == [Self.ask])
        #expect(stage.handle(.report(.finishing(1)), after: 0.01) == [])
        #expect(stage.handle(.report(.readyToSuspend(1)), after: 0.01) == Self.stop)
        #expect(stage.life.state == .suspended)
        #expect(stage.story.last == .moved(from: .background, to: .suspended, .nothingToDo))
    }

    @Test func `the grace is the settings' own`() {
        let stage = Self.resting(.init(suspendGrace: 2))
        #expect(stage.life.nextLook == 5002)
    }

    @Test func `through its grace time may run ahead, and not while its process is asked`() {
        var stage = Self.resting()
        #expect(stage.life.isSettled)
        stage.waitForItsTime()
        #expect(!stage.life.isSettled)
        stage.play(.report(.readyToSuspend(1)), .observed(isStopped: true))
        #expect(stage.life.isSettled)
    }

    @Test func `one that says nothing is stopped after two seconds, however short the grace is`() {
        for grace in [0, 0.25, 10] {
            var stage = Self.resting(.init(suspendGrace: grace))
            if grace > 0 { stage.waitForItsTime() }
            #expect(stage.actions.last == Self.ask)
            #expect(stage.life.nextLook == 5002 + grace)
            #expect(stage.handle(.timeIsUp, after: 2) == Self.stop)
        }
    }

    @Test func `code that runs on has five seconds, and the story says that it ran`() {
        var stage = Self.asked()
        stage.handle(.report(.finishing(1)), after: 0.01)
        #expect(stage.life.nextLook == 5005.26)
        #expect(stage.handle(.timeIsUp, after: 5) == Self.stop)
        #expect(stage.story.last == .moved(from: .background, to: .suspended, .codeTooLong(seconds: 5)))
    }

    @Test(arguments: [
        AppEvent.report(.beganTask(BackgroundTask(id: 2, name: "next", beganAt: 5000))),
        .startTask(AppLifeStage.refresh), .sessionNeedsApp("photos"), .foreground,
    ])
    func `a new hold counts in the grace and after the question`(_ hold: AppEvent) {
        for var stage in [Self.resting(), Self.asked()] {
            stage.handle(hold)
            #expect(!stage.actions.contains(.stop))
            stage.handle(.report(.readyToSuspend(1)), after: 0.1)
            #expect(stage.life.state != .suspended)
            stage.handle(.timeIsUp, after: 1)
            #expect(!stage.actions.contains(.stop))
        }
    }

    @Test func `the grace begins anew with every hold that ends`() {
        var stage = Self.resting()
        stage.handle(.report(.beganTask(BackgroundTask(id: 2, name: "next", beganAt: 5000))), after: 0.2)
        #expect(stage.handle(.report(.endedTask(2)), after: 0.01) == [])
        #expect(stage.life.nextLook == 5000.46)
        #expect(stage.handle(.timeIsUp, after: 0.04) == [])
        #expect(stage.handle(.timeIsUp, after: 0.21) == [Self.ask])
    }

    @Test func `an answer to an earlier question does not count`() {
        var stage = Self.asked()
        stage.play(
            .report(.beganTask(BackgroundTask(id: 2, name: "next", beganAt: 5000))),
            .report(.endedTask(2))
        )
        stage.waitForItsTime()
        #expect(stage.actions == [.send(.prepareToSuspend(2))])
        #expect(stage.handle(.report(.readyToSuspend(1))) == [])
        #expect(stage.handle(.report(.readyToSuspend(2))) == Self.stop)
    }

    @Test func `a connection that comes back begins the grace anew`() {
        var stage = Self.asked()
        stage.handle(.disconnected, after: 0.01)
        stage.handle(.attached(AppLifeStage.first, StageView(state: .background)), after: 1)
        #expect(!stage.actions.contains(.stop))
        #expect(stage.life.nextLook == 5001.51)
    }

    @Test func `one that is not connected is not asked`() {
        var stage = Self.resting()
        stage.handle(.disconnected)
        stage.handle(.timeIsUp, after: 10)
        #expect(stage.actions == Self.stop)
    }

    @Test func `an app that does not call the completion handler is suspended, and its story says so`() {
        var stage = AppLifeStage.suspended()
        stage.play(
            .sessionNeedsApp("photos"),
            .observed(isStopped: false),
            .report(.state(.background)),
            .report(.announced(session: "photos")),
            .sessionSettled("photos")
        )
        #expect(stage.life.nextLook == 5030)
        #expect(stage.waitForItsTime() == Self.stop)
        #expect(stage.story.contains(.eventsNotHandled(session: "photos", seconds: 30)))
        stage.play(.observed(isStopped: true))
        #expect(stage.life.nextLook == nil, "what was taken does not wake it again")
        stage.handle(.sessionNeedsApp("photos"))
        #expect(stage.life.state == .background, "what is new does")
    }

    @Test func `what it did not take it is told of when it runs for another reason`() {
        var stage = AppLifeStage.suspended()
        stage.play(
            .sessionNeedsApp("photos"),
            .observed(isStopped: false),
            .report(.state(.background)),
            .report(.announced(session: "photos"))
        )
        #expect(stage.waitForItsTime() == Self.stop)
        stage.play(.observed(isStopped: true))
        #expect(stage.life.nextLook == nil)
        stage.handle(.sessionNeedsApp("movies"))
        let told = stage.actions.compactMap { action -> String? in
            if case .send(.handleEvents(let session, _)) = action { session } else { nil }
        }
        #expect(told.sorted() == ["movies", "photos"])
    }
}
