// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Offstage
import OffstageCore

/// Carries out a launch and the daemon's commands on the main thread: delegate calls and notifications.
@MainActor
final class StagePerformer {
    static let shared = StagePerformer()

    /// Retained for the lifetime of the process.
    private var delegate: (any UIApplicationDelegate)?
    private var isLaunched = false
    /// Whether a call is running: a delegate that runs the main loop inside a call is not called again until that call
    /// returns.
    private var isPerforming = false

    private init() {}

    /// Launches the app, up to the delegate call for its new state.
    ///
    /// - Parameters:
    ///   - delegate: the app's delegate.
    ///   - steps: the steps of the launch, depending on the app's scene.
    func launch(_ delegate: any UIApplicationDelegate, _ steps: (SceneStanding) -> [StageScript.Step]) {
        self.delegate = delegate
        UIApplication.shared.delegate = delegate
        isPerforming = true
        var script = steps(SceneStage.shared.standing)
        while !script.isEmpty {
            let step = script.removeFirst()
            perform(step)
            // The delegate is asked for a configuration of scenes only after it has finished launching.
            guard step == .report(.launched), SceneStage.shared.askForConfiguration(delegate) else { continue }
            script = Array(steps(.unconnected).drop { $0 != step }.dropFirst())
        }
        isPerforming = false
        isLaunched = true
        performCommands()
    }

    /// Carries out the received commands, in order.
    func performCommands() {
        guard isLaunched, !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        while let command = Stage.current.takeCommand() {
            let (state, scene) = (Stage.current.lifeState, SceneStage.shared.standing)
            for step in StageScript.steps(for: command, in: state, scene: scene) { perform(step) }
        }
    }

    private func perform(_ step: StageScript.Step) {
        let stage = Stage.current
        switch step {
        case .become(let state):
            stage.change { $0.become(state) }
            SignalWatch.shared.lookAgain()
        case .setBackgroundTime(let ends): stage.change { $0.setTime(ends: ends) }
        case .runExpirationHandlers: runExpirationHandlers()
        case .report(let report):
            // Before the daemon receives the report and starts a task.
            if report == .launched { DeferredWorkPort.shared.launchIsOver() }
            stage.report(report)
        case .call(let call):
            make(call)
            post(call)
        case .callScene(let call): SceneStage.shared.perform(call, UIApplication.shared.delegate ?? delegate)
        case .post(let call): post(call)
        case .startTask(let launch): DeferredWorkPort.shared.start(launch)
        case .expireTask(let number, let expiry): DeferredWorkPort.shared.expire(number, expiry)
        case .exit:
            DefaultsInUse.write()
            stage.waitUntilSent(seconds: 1)
            exit(0)
        }
    }

    private func post(_ call: DelegateCall) {
        guard let name = call.notification else { return }
        NotificationCenter.default.post(name: NSNotification.Name(name), object: UIApplication.shared)
    }

    private func make(_ call: DelegateCall) {
        let application = UIApplication.shared
        // The app may have replaced its delegate.
        let delegate = application.delegate ?? delegate
        switch call {
        case .willFinishLaunching: _ = delegate?.application(application, willFinishLaunchingWithOptions: nil)
        case .didFinishLaunching: _ = delegate?.application(application, didFinishLaunchingWithOptions: nil)
        case .didBecomeActive: delegate?.applicationDidBecomeActive(application)
        case .willResignActive: delegate?.applicationWillResignActive(application)
        case .didEnterBackground: delegate?.applicationDidEnterBackground(application)
        case .willEnterForeground: delegate?.applicationWillEnterForeground(application)
        case .handleEvents(let session): handleEvents(session, delegate)
        case .didReceiveMemoryWarning: delegate?.applicationDidReceiveMemoryWarning(application)
        case .willTerminate: delegate?.applicationWillTerminate(application)
        }
    }

    private func handleEvents(_ session: String, _ delegate: (any UIApplicationDelegate)?) {
        // A daemon that has just started may repeat the command for a session whose events the app is handling.
        guard Stage.current.change({ $0.announces(session) }) else { return }
        let handled: @Sendable () -> Void = { Stage.current.change { $0.handled(session) } }
        // The session's events continue only after the call: by then, the delegate has stored the completion handler.
        defer { LaunchEvents.expect(session) }
        guard let delegate else { return handled() }
        delegate.application(
            UIApplication.shared,
            handleEventsForBackgroundURLSession: session,
            completionHandler: handled
        )
    }

    /// Calls the handlers of the tasks that are open now, but not of tasks that those handlers begin.
    private func runExpirationHandlers() {
        let stage = Stage.current
        let last = stage.change { $0.lastTask }
        while let expiring = stage.change({ $0.takeExpiring(upTo: last) }) { expiring.handler?() }
    }
}
