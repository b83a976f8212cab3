// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// How a session's events affect an app that handles them in its own way.
@Suite struct AppLifeSessionTests {
    private static let announced = AppEvent.report(.announced(session: "photos"))
    private static let handled = AppEvent.report(.handled(session: "photos"))

    private func woken() -> AppLifeStage {
        var stage = AppLifeStage.suspended()
        stage.play(.sessionNeedsApp("photos"), .observed(isStopped: false), .report(.state(.background)))
        return stage
    }

    @Test func `an app that calls the completion handler at once is not stopped before its events have come`() {
        var stage = woken()
        #expect(stage.handle(Self.handled) == [])
        #expect(stage.handle(Self.announced) == [.deliverEvents(session: "photos")])
        #expect(stage.life.state == .background)
        #expect(!stage.story.contains(.handledEvents(session: "photos")))
        #expect(stage.handle(.sessionSettled("photos"), after: 0.3) == [.stop, .observe(after: 0.002)])
        #expect(stage.story.contains(.handledEvents(session: "photos")))
    }

    @Test func `events that do not go over keep an app for two seconds after its completion handler`() {
        var stage = woken()
        stage.play(Self.handled)
        #expect(stage.life.nextLook == 5002)
        stage.handle(Self.announced, after: 1)
        #expect(stage.life.nextLook == 5003)
        #expect(stage.waitForItsTime() == [.stop, .observe(after: 0.002)])
        #expect(stage.story.contains(.handledEvents(session: "photos")))
    }

    @Test func `no more than what is left of its time`() {
        var stage = woken()
        stage.play(Self.announced)
        stage.handle(Self.handled, after: 29)
        #expect(stage.life.nextLook == 5030)
        stage.waitForItsTime()
        #expect(!stage.life.isEnding)
        #expect(stage.life.state == .suspended)
    }

    @Test func `an app that crashes before its events have come is called again`() {
        var stage = woken()
        stage.play(Self.announced, Self.handled, .ended(.signalled(11)))
        stage.waitForItsTime()
        stage.waitForItsTime()
        #expect(stage.life.launchCause == .sessionEvents("photos"))
    }

    @Test func `an app that exits once it has called the completion handler is not called again for events it has`() {
        var stage = woken()
        stage.play(Self.announced, Self.handled, .ended(.exited(0)), .sessionSettled("photos"))
        #expect(stage.life.state == .terminated)
        #expect(stage.life.nextLook == nil)
        #expect(stage.life.registration.backoff.crashes == 0)
    }

    /// Launched for its session, and notified of the events.
    private func launched() -> AppLifeStage {
        var stage = AppLifeStage.launchingInBackground()
        stage.play(.report(.launched), .report(.state(.background)))
        return stage
    }

    /// Lets it exit with status 0 and be launched again; returns the seconds between the two.
    private func secondsToNextLaunch(_ stage: inout AppLifeStage) -> Double {
        let exit = stage.time
        stage.play(.ended(.exited(0)))
        for _ in 1...4 where stage.life.launchCause == nil {
            stage.waitForItsTime()
            stage.play(.committed)
        }
        let seconds = stage.time - exit
        #expect(stage.life.launchCause == .sessionEvents("photos"))
        stage.play(.spawned(AppLifeStage.first), .attached(AppLifeStage.first, StageView()), .report(.launched))
        return seconds.rounded()
    }

    @Test func `an app that exits each time before its events are acknowledged is launched after longer pauses`() {
        var stage = launched()
        var seconds: [Double] = []
        for _ in 1...3 {
            stage.play(Self.announced, Self.handled)
            seconds.append(secondsToNextLaunch(&stage))
            stage.play(.report(.state(.background)))
        }
        #expect(seconds == [7, 12, 22])
        #expect(stage.life.registration.backoff.crashes == 3)
        // Once it has handled them, no pause is due.
        stage.play(Self.announced, Self.handled, .ended(.exited(0)), .sessionSettled("photos"))
        #expect(stage.life.registration.backoff.crashes == 0)
        #expect(stage.life.nextLook == nil)
    }

    @Test func `nor is one that exits each time it enters the background launched without a pause`() {
        var stage = AppLifeStage.launchingInBackground()
        stage.play(.report(.launched))
        let seconds = (1...3).map { _ in secondsToNextLaunch(&stage) }
        #expect(seconds == [7, 12, 22])
    }

    @Test func `an app that has taken the events of one session is launched for another without a pause`() {
        var stage = launched()
        stage.play(.sessionNeedsApp("films"), .report(.announced(session: "films")))
        stage.play(.report(.handled(session: "films")), .sessionSettled("films"), Self.announced, Self.handled)
        #expect(secondsToNextLaunch(&stage) == 2)
        #expect(stage.life.registration.backoff.crashes == 0)
    }

    @Test func `an app that is launched for its sessions and whose events all come to nothing is left alone`() {
        var stage = AppLifeStage.launchingInBackground()
        stage.play(.report(.launched), .ended(.exited(0)), .sessionNeedsApp("films"))
        #expect(stage.life.launchCause == nil, "what it has done is not known yet")
        stage.play(.sessionSettled("photos"), .sessionSettled("films"))
        #expect(stage.life.state == .terminated)
        #expect(stage.life.nextLook == nil)
        #expect(stage.life.registration.backoff.crashes == 0)
    }

    @Test func `an app that handles a session's events is not told of them again`() {
        var stage = woken()
        stage.play(Self.announced, .sessionNeedsApp("photos"), Self.handled, .sessionSettled("photos"))
        #expect(stage.life.state == .suspended)
        #expect(stage.story.filter { $0 == .woken(.sessionEvents("photos")) }.count == 1)
    }

    @Test(arguments: [false, true])
    func `nor is it by a daemon that has just begun`(isNeededFirst: Bool) {
        var stage = AppLifeStage {
            $0.process = .init(identity: AppLifeStage.first, bootID: Fixture.moment(0).bootID, isChild: false)
        }
        let attached = AppEvent.attached(AppLifeStage.first, StageView(state: .background, unhandled: ["photos"]))
        let need = AppEvent.sessionNeedsApp("photos")
        stage.play(.restored(isStopped: false))
        for event in isNeededFirst ? [need, attached] : [attached, need] { stage.play(event) }
        #expect(stage.handle(Self.handled) == [])
        #expect(stage.handle(.sessionSettled("photos")) == [.stop, .observe(after: 0.002)])
        #expect(!stage.story.contains(.woken(.sessionEvents("photos"))))
    }

    @Test func `what comes about after the events were taken is told if it does not go over by itself`() {
        var stage = woken()
        stage.play(Self.announced, .sessionSettled("photos"), .sessionNeedsApp("photos"), Self.handled)
        #expect(stage.life.nextLook == 5002)
        let again = StageCommand.handleEvents(session: "photos", timeEnds: 5032)
        #expect(stage.waitForItsTime() == [.send(again)])
        #expect(!stage.story.contains(.handledEvents(session: "photos")))
    }

    @Test func `a completion handler that was called while the connection was lost counts`() {
        var stage = woken()
        stage.play(Self.announced, .disconnected)
        stage.play(.attached(AppLifeStage.first, StageView(state: .background)), .sessionSettled("photos"))
        #expect(stage.story.contains(.handledEvents(session: "photos")))
        #expect(stage.life.state == .suspended)
    }

    @Test func `an app that goes behind with events on their way is told of them only if they do not come`() {
        var stage = AppLifeStage.active()
        stage.play(.sessionNeedsApp("photos"), .background, .report(.state(.background)))
        #expect(stage.life.state == .background)
        var late = stage
        #expect(stage.handle(.sessionSettled("photos")) == [.stop, .observe(after: 0.002)])
        #expect(!stage.story.contains(.handledEvents(session: "photos")))
        late.waitForItsTime()
        #expect(late.actions == [.send(.handleEvents(session: "photos", timeEnds: 5032))])
    }

    @Test func `a program that has never connected is not launched for its sessions`() {
        var stage = AppLifeStage { $0.hasAttached = false }
        #expect(stage.handle(.sessionNeedsApp("photos")) == [])
        stage.play(.attached(AppLifeStage.first, StageView()))
        #expect(stage.life.registration.hasAttached)
        stage.play(.ended(.exited(0)))
        #expect(stage.life.launchCause == .sessionEvents("photos"))
    }
}
