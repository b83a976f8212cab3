// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// The order of delegate calls, against Apple's tables for apps without scenes.
@Suite struct StageScriptTests {
    private func calls(_ steps: [StageScript.Step]) -> [DelegateCall] {
        steps.compactMap { if case .call(let call) = $0 { call } else { nil } }
    }

    // https://developer.apple.com/documentation/uikit/about-the-app-launch-sequence
    @Test func `a launch in foreground ends with the app active`() {
        let steps = StageScript.launch(.person, timeEnds: nil)
        #expect(calls(steps) == [.willFinishLaunching, .didFinishLaunching, .didBecomeActive])
        #expect(steps.first == .become(.inactive))
        #expect(steps.last == .report(.state(.active)))
        let launched = steps.firstIndex(of: .report(.launched))
        #expect(launched == steps.firstIndex(of: .call(.didFinishLaunching)).map { $0 + 1 })
    }

    // https://developer.apple.com/documentation/uikit/about-the-background-execution-sequence
    @Test(arguments: [LaunchCause.personInBackground, .sessionEvents("photos")])
    func `a launch in background tells the app that it is there, and nothing of being active`(_ cause: LaunchCause) {
        let steps = StageScript.launch(cause, timeEnds: 30, entersBackground: true)
        #expect(calls(steps) == [.willFinishLaunching, .didFinishLaunching, .didEnterBackground])
        let asOnDevices = StageScript.launch(cause, timeEnds: 30)
        #expect(asOnDevices == steps.filter { $0 != .call(.didEnterBackground) })
        #expect(steps.prefix(2) == [.become(.background), .setBackgroundTime(ends: 30)])
        #expect(steps.last == .report(.state(.background)))
    }

    // https://developer.apple.com/documentation/uikit/managing-your-app-s-life-cycle
    @Test func `an active app resigns before it enters the background`() {
        let steps = StageScript.steps(for: .enterBackground(timeEnds: 40), in: .active)
        #expect(
            steps == [
                .call(.willResignActive), .become(.inactive), .become(.background), .setBackgroundTime(ends: 40),
                .call(.didEnterBackground), .report(.state(.background)),
            ]
        )
        #expect(calls(StageScript.steps(for: .enterBackground(timeEnds: 40), in: .inactive)) == [.didEnterBackground])
    }

    // https://github.com/lionheart/openradar-mirror/issues/4788, against the documented order
    @Test func `an app that is woken out of suspension has its events, and is not told where it is`() {
        let steps =
            StageScript.steps(for: .enterBackground(timeEnds: 40), in: .background)
            + StageScript.steps(for: .handleEvents(session: "photos", timeEnds: 40), in: .background)
        #expect(calls(steps) == [.handleEvents(session: "photos")])
        #expect(steps.prefix(2) == [.become(.background), .setBackgroundTime(ends: 40)])
        #expect(steps.last == .report(.announced(session: "photos")))
    }

    // https://developer.apple.com/documentation/uikit/managing-your-app-s-life-cycle
    @Test func `an app that returns enters the foreground and becomes active`() {
        let steps = StageScript.steps(for: .enterForeground, in: .background)
        #expect(
            steps == [
                .setBackgroundTime(ends: nil), .call(.willEnterForeground), .become(.inactive), .become(.active),
                .call(.didBecomeActive), .report(.state(.active)),
            ]
        )
        #expect(calls(StageScript.steps(for: .enterForeground, in: .inactive)) == [.didBecomeActive])
        #expect(calls(StageScript.steps(for: .enterForeground, in: .active)).isEmpty)
    }

    /// The same for an app with a scene: its calls, and only the notifications posted for the app delegate's.
    private func words(_ steps: [StageScript.Step]) -> [String] {
        steps.compactMap { step in
            switch step {
            case .call(let call): "app \(call)"
            case .callScene(let call): "scene \(call)"
            case .post(let call): "posted \(call)"
            default: nil
            }
        }
    }

    // https://developer.apple.com/documentation/uikit/managing-your-app-s-life-cycle, with scenes; where Apple is silent:
    // the scene connects when it first comes to the front, and is released before the app ends.
    @Test func `in an app with a scene its delegate hears of front and background in the app delegate's place`() {
        let launched = ["app willFinishLaunching", "app didFinishLaunching"]
        let front = [
            "scene willEnterForeground", "posted willEnterForeground", "scene didBecomeActive",
            "posted didBecomeActive",
        ]
        let connected = StageScript.steps(for: .enterForeground, in: .background, scene: .connected)
        #expect(
            words(StageScript.launch(.person, timeEnds: nil, scene: .unconnected)) == launched + ["scene willConnect"]
                + front
        )
        for enters in [false, true] {
            let steps = StageScript.launch(.task("sync"), timeEnds: 30, entersBackground: enters, scene: .unconnected)
            #expect(words(steps) == launched, "nobody has a scene yet")
            #expect(steps.last == .report(.state(.background)))
        }
        let first = StageScript.steps(for: .enterForeground, in: .background, scene: .unconnected)
        #expect(words(first) == ["scene willConnect"] + front)
        #expect(words(connected) == front)
        let leaving = StageScript.steps(for: .enterBackground(timeEnds: 40), in: .active, scene: .connected)
        #expect(
            words(leaving) == [
                "scene willResignActive", "posted willResignActive", "scene didEnterBackground",
                "posted didEnterBackground",
            ]
        )
        #expect(words(StageScript.steps(for: .enterBackground(timeEnds: 40), in: .background, scene: .connected)) == [])
        let events = StageScript.steps(
            for: .handleEvents(session: "s", timeEnds: 1),
            in: .background,
            scene: .connected
        )
        #expect(words(events).count == 1)
        #expect(
            words(StageScript.steps(for: .terminate, in: .active, scene: .connected)) == [
                "scene didDisconnect", "app willTerminate",
            ]
        )
        #expect(
            words(StageScript.steps(for: .terminate, in: .background, scene: .unconnected)) == ["app willTerminate"]
        )
        // The daemon receives the same reports.
        for state in [LifeState.inactive, .active, .background] {
            for command in [StageCommand.enterForeground, .enterBackground(timeEnds: 3), .terminate, .expire] {
                let plain = StageScript.steps(for: command, in: state)
                let scene = StageScript.steps(for: command, in: state, scene: .connected)
                #expect(plain.filter(Self.isTold) == scene.filter(Self.isTold))
            }
        }
    }

    private static func isTold(_ step: StageScript.Step) -> Bool {
        switch step {
        case .report, .become, .setBackgroundTime, .exit: true
        default: false
        }
    }

    @Test func `what needs an answer has one as its last step`() {
        #expect(StageScript.steps(for: .expire, in: .background) == [.runExpirationHandlers, .report(.expired)])
        for state in [LifeState.inactive, .active, .background] {
            #expect(StageScript.steps(for: .enterForeground, in: state).last == .report(.state(.active)))
            let back = StageScript.steps(for: .enterBackground(timeEnds: 1), in: state)
            #expect(back.last == .report(.state(.background)))
            // https://developer.apple.com/documentation/uikit/uiapplicationdelegate/applicationwillterminate(_:)
            #expect(StageScript.steps(for: .terminate, in: state) == [.call(.willTerminate), .exit])
            #expect(StageScript.steps(for: .memoryWarning, in: state) == [.call(.didReceiveMemoryWarning)])
            let time = StageScript.steps(for: .backgroundTime(ends: 7), in: state)
            #expect(time == [.setBackgroundTime(ends: 7)])
        }
    }

    @Test func `every call with a notification of its own names it as Apple does`() {
        #expect(DelegateCall.didEnterBackground.notification == "UIApplicationDidEnterBackgroundNotification")
        #expect(DelegateCall.willFinishLaunching.notification == nil)
        #expect(DelegateCall.handleEvents(session: "photos").notification == nil)
    }
}
