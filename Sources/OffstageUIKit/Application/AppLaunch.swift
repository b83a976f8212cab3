// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Offstage
import OffstageClient
import OffstageCore

/// Launches an app.
@MainActor
enum AppLaunch {
    /// How long to look for a daemon, in seconds, before the app is launched without one while the search continues.
    private static let patience = 3.0
    /// Like `patience`, for a process launched by a daemon: that daemon exists.
    private static let patienceOfChild = BackgroundTimeProfile.launchTime
    /// How long to wait for the answer of a daemon that was found, in seconds: it does not answer while the app's
    /// previous process is ending.
    private static let patienceForAnswer = BackgroundTimeProfile.launchTime
    /// How long to wait until a report has been sent, in seconds.
    nonisolated private static let patienceForReports = 1.0
    /// `EX_UNAVAILABLE`: another process of the app exists.
    private static let refusedStatus: Int32 = 69
    /// The variable in the environment of a process launched by the daemon.
    private static let token = "OFFSTAGE_LAUNCH"

    private static var hasEntered = false

    static func run(classNamed name: String?) -> Never {
        guard let name else { stop("name the class of the delegate") }
        guard let type = NSClassFromString(name) as? any (NSObject & UIApplicationDelegate).Type else {
            stop("\(name) is not a subclass of NSObject that conforms to UIApplicationDelegate")
        }
        run(type)
    }

    static func run(_ type: any (NSObject & UIApplicationDelegate).Type) -> Never {
        enter {
            guard let delegate = DelegateClass.make(type) as? any UIApplicationDelegate else {
                stop("\(type) cannot be made with this Foundation: call takeStage(with:perform:)")
            }
            return delegate
        }
        // Serves timers, other run loop sources, the main queue and the main actor.
        let reason = Timer(timeInterval: .greatestFiniteMagnitude, repeats: true) { _ in }
        RunLoop.main.add(reason, forMode: .default)
        while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
    }

    /// Looks for the daemon and launches the app.
    ///
    /// - Parameter makeDelegate: called once it is known that this process is the app's.
    static func enter(_ makeDelegate: () -> any UIApplicationDelegate) {
        guard !hasEntered else { stop("the app has been launched already") }
        hasEntered = true
        var environment = OriginalEnvironment.variables
        let isChild = environment.removeValue(forKey: token) != nil
        // The daemon identifies the app by this variable, and would mistake a program that the app starts for the app.
        unsetenv(token)
        LaunchEvents.isSupervised = true
        SceneStage.shared.readManifest()
        DeferredWorkPort.shared.enterStage(
            report: { Stage.current.report($0) },
            flush: { Stage.current.waitUntilSent(seconds: patienceForReports) },
            onMain: { work in Stage.current.onMain(work) }
        )
        DeferredWorkPort.shared.addHandler(BackgroundFetch.shared)
        SignalWatch.shared.start()
        Stage.current.startLink(environment)
        let attachment = Stage.current.waitForAttachment(
            connecting: isChild ? patienceOfChild : patience,
            answering: patienceForAnswer
        )
        switch attachment {
        case .refused(let error):
            Stage.complain("\(error)")
            exit(refusedStatus)
        case .attached(let reply):
            AppContainer.enter(of: reply.app)
            StagePerformer.shared.launch(makeDelegate()) { scene in
                StageScript.launch(
                    reply.launch,
                    timeEnds: reply.timeEnds,
                    entersBackground: reply.entersBackground ?? false,
                    scene: scene
                )
            }
        case nil:
            Stage.complain(
                "No daemon answers: the app runs in the foreground, is never suspended, and is never woken. Put 'offstaged' in PATH, or its path in OFFSTAGED."
            )
            StagePerformer.shared.launch(makeDelegate()) { StageScript.launch(.person, timeEnds: nil, scene: $0) }
        }
    }

    private static func stop(_ reason: String) -> Never { fatalError("UIApplicationMain: \(reason).") }
}
