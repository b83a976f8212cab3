// SPDX-License-Identifier: Apache-2.0

/// The delegate calls of an app's process, in order, with its reports to the daemon in between: for a launch, and for
/// each command. Carried out on the main thread, one step at a time.
///
/// Sources: the tables of <https://developer.apple.com/documentation/uikit/about-the-app-launch-sequence>,
/// <https://developer.apple.com/documentation/uikit/about-the-background-execution-sequence> and
/// <https://developer.apple.com/documentation/uikit/managing-your-app-s-life-cycle>. In an app with a scene, the
/// scene's delegate is notified of front and background instead of the app delegate, and the app's notifications are
/// still posted
/// (<https://developer.apple.com/documentation/uikit/uiapplicationdelegate/applicationdidenterbackground(_:)>).
package enum StageScript {
    /// One step of the process.
    package enum Step: Sendable, Hashable {
        /// `applicationState` has this value from here on: inactive, active or background.
        case become(LifeState)
        /// The delegate's method, and then the notification that belongs to it, if there is one.
        case call(DelegateCall)
        /// The scene delegate's method, and then its notification.
        case callScene(SceneCall)
        /// Only the notification that belongs to a method of the app delegate.
        case post(DelegateCall)
        /// `backgroundTimeRemaining` ends at this time on `CLOCK_BOOTTIME`; nil for no end.
        case setBackgroundTime(ends: Double?)
        /// Runs the expiration handlers of all open background tasks, and notifies the activities of
        /// `performExpiringActivity`.
        case runExpirationHandlers
        case report(StageReport)
        /// Calls the task's handler on its queue.
        case startTask(TaskLaunch)
        /// Calls the task's expiration handler.
        case expireTask(UInt64, TaskExpiry)
        /// Ends the process with status 0.
        case exit
    }

    /// A launch, beginning with `UIApplicationMain`.
    ///
    /// Apple's documentation lists `applicationDidEnterBackground` for a launch in background. On devices, no such call
    /// was observed: <https://github.com/lionheart/openradar-mirror/issues/4788>.
    ///
    /// - Parameters:
    ///   - cause: the daemon's answer to `app.attach`; `person` if there is no daemon.
    ///   - timeEnds: for a background launch, the end of its time.
    ///   - entersBackground: whether an app that is launched in background receives `applicationDidEnterBackground`.
    ///   - scene: whether the app has a scene. It connects when the app first comes to the front, since Apple does not
    ///     promise a scene to an app that is launched in background.
    /// - Returns: the steps, in order.
    package static func launch(
        _ cause: LaunchCause,
        timeEnds: Double?,
        entersBackground: Bool = false,
        scene: SceneStanding = .none
    ) -> [Step] {
        guard !cause.isForeground else {
            let launched: [Step] = [
                .become(.inactive), .setBackgroundTime(ends: nil),
                .call(.willFinishLaunching), .call(.didFinishLaunching), .report(.launched),
            ]
            // A scene enters the foreground at a launch, too.
            let enters: [Step] = scene == .none ? [] : [.call(.willEnterForeground)]
            return led(by: scene, launched + enters + toActive)
        }
        let launched: [Step] = [
            .become(.background), .setBackgroundTime(ends: timeEnds),
            .call(.willFinishLaunching), .call(.didFinishLaunching), .report(.launched),
        ]
        let enters: [Step] = entersBackground ? [.call(.didEnterBackground)] : []
        return led(by: scene, launched + enters + [.report(.state(.background))])
    }

    /// The steps of a command for a launched process.
    ///
    /// - Parameters:
    ///   - command: the daemon's command.
    ///   - state: the present `applicationState`.
    ///   - scene: the state of the app's scene.
    /// - Returns: the steps, in order.
    package static func steps(
        for command: StageCommand,
        in state: LifeState,
        scene: SceneStanding = .none
    ) -> [Step] {
        led(by: scene, sceneless(command, in: state))
    }

    /// The same steps in an app with a scene.
    private static func led(by scene: SceneStanding, _ steps: [Step]) -> [Step] {
        guard scene != .none else { return steps }
        let isConnected = scene == .connected
        return steps.flatMap { step -> [Step] in
            guard case .call(let call) = step else { return [step] }
            return switch call {
            case .willEnterForeground:
                (isConnected ? [] : [.callScene(.willConnect)]) + [.callScene(.willEnterForeground), .post(call)]
            case .didBecomeActive: [.callScene(.didBecomeActive), .post(call)]
            case .willResignActive: [.callScene(.willResignActive), .post(call)]
            // An unknown task needs no call.
            case .didEnterBackground: isConnected ? [.callScene(.didEnterBackground), .post(call)] : []
            case .willTerminate: isConnected ? [.callScene(.didDisconnect), step] : [step]
            case .willFinishLaunching, .didFinishLaunching, .handleEvents, .didReceiveMemoryWarning: [step]
            }
        }
    }

    private static func sceneless(_ command: StageCommand, in state: LifeState) -> [Step] {
        switch command {
        case .enterForeground: enterForeground(from: state)
        case .enterBackground(let ends): enterBackground(from: state, timeEnds: ends)
        case .backgroundTime(let ends): [.setBackgroundTime(ends: ends)]
        case .expire: [.runExpirationHandlers, .report(.expired)]
        case .handleEvents(let session, _):
            [.call(.handleEvents(session: session)), .report(.announced(session: session))]
        case .startTask(let launch, _): [.startTask(launch)]
        case .expireTask(let number, let expiry): [.expireTask(number, expiry)]
        // Answered at once, not in turn.
        case .prepareToSuspend: []
        case .memoryWarning: [.call(.didReceiveMemoryWarning)]
        case .terminate: [.call(.willTerminate), .exit]
        }
    }

    private static let toActive: [Step] = [.become(.active), .call(.didBecomeActive), .report(.state(.active))]

    private static func enterForeground(from state: LifeState) -> [Step] {
        switch state {
        case .active: [.setBackgroundTime(ends: nil), .report(.state(.active))]
        case .inactive: [.setBackgroundTime(ends: nil)] + toActive
        // The state still reads background in the first of the two calls.
        case .background, .suspended, .launching, .terminated:
            [.setBackgroundTime(ends: nil), .call(.willEnterForeground), .become(.inactive)] + toActive
        }
    }

    private static func enterBackground(from state: LifeState, timeEnds: Double) -> [Step] {
        let begin: [Step] = [.become(.background), .setBackgroundTime(ends: timeEnds)]
        let entered: [Step] = [.call(.didEnterBackground), .report(.state(.background))]
        return switch state {
        // The state still reads active while it resigns.
        case .active: [.call(.willResignActive), .become(.inactive)] + begin + entered
        // It is still in background: as on devices, a woken app is not notified of entering it.
        case .background, .suspended: begin + [.report(.state(.background))]
        case .inactive, .launching, .terminated: begin + entered
        }
    }
}

/// A method of the app delegate, or its substitute.
package enum DelegateCall: Sendable, Hashable {
    /// `application(_:willFinishLaunchingWithOptions:)`
    case willFinishLaunching
    /// `application(_:didFinishLaunchingWithOptions:)`
    case didFinishLaunching
    /// `applicationDidBecomeActive(_:)`
    case didBecomeActive
    /// `applicationWillResignActive(_:)`
    case willResignActive
    /// `applicationDidEnterBackground(_:)`
    case didEnterBackground
    /// `applicationWillEnterForeground(_:)`
    case willEnterForeground
    /// `application(_:handleEventsForBackgroundURLSession:completionHandler:)`; the completion handler, or its absence
    /// in a delegate without the method, is reported with `StageReport.handled`.
    case handleEvents(session: String)
    /// `applicationDidReceiveMemoryWarning(_:)`
    case didReceiveMemoryWarning
    /// `applicationWillTerminate(_:)`
    case willTerminate

    /// The notification that is posted after the call
    /// (<https://developer.apple.com/documentation/uikit/uiapplication>); nil for none.
    package var notification: String? {
        switch self {
        case .didFinishLaunching: "UIApplicationDidFinishLaunchingNotification"
        case .didBecomeActive: "UIApplicationDidBecomeActiveNotification"
        case .willResignActive: "UIApplicationWillResignActiveNotification"
        case .didEnterBackground: "UIApplicationDidEnterBackgroundNotification"
        case .willEnterForeground: "UIApplicationWillEnterForegroundNotification"
        case .didReceiveMemoryWarning: "UIApplicationDidReceiveMemoryWarningNotification"
        case .willTerminate: "UIApplicationWillTerminateNotification"
        case .willFinishLaunching, .handleEvents: nil
        }
    }
}
