// SPDX-License-Identifier: Apache-2.0
import UIKit

// DropOff FOLDER SERVER FILE [MODE]
//
// Uploads FILE by itself as soon as it is in front, and goes on for as long as it may when it is not. FOLDER/events.log
// says what became of app and upload.

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let assignment = Assignment.current
    private lazy var log = AppLog(in: assignment.folder)
    private lazy var uploader = Uploader(log: log)
    private var tidyingUp = UIBackgroundTaskIdentifier.invalid

    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        note("willFinishLaunching", application)
        return true
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        note("didFinishLaunching", application)
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        note("didBecomeActive", application)
        guard !uploader.hasBegun else { return }
        switch assignment.mode {
        case .task: uploader.upload(assignment.file, to: assignment.server, inBackgroundTask: true)
        case .bare: uploader.upload(assignment.file, to: assignment.server, inBackgroundTask: false)
        case .late, .stuck: break
        }
    }

    func applicationWillResignActive(_ application: UIApplication) {
        note("willResignActive", application)
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        note("didEnterBackground", application)
        log.note("\(Int(application.backgroundTimeRemaining.rounded())) s left")
        switch assignment.mode {
        case .task, .bare: break
        case .late: tidyUp(application)
        case .stuck: while true { pause() }
        }
    }

    func applicationWillEnterForeground(_ application: UIApplication) {
        note("willEnterForeground", application)
    }

    func applicationWillTerminate(_ application: UIApplication) {
        log.note("willTerminate")
    }

    /// Does what is left to do on another thread.
    private func tidyUp(_ application: UIApplication) {
        tidyingUp = application.beginBackgroundTask(withName: "tidy up") {
            application.endBackgroundTask(self.tidyingUp)
        }
        log.note("task begun")
        DispatchQueue.global().async { [log, tidyingUp] in
            log.note("tidied up")
            application.endBackgroundTask(tidyingUp)
        }
    }

    private func note(_ call: String, _ application: UIApplication) {
        switch application.applicationState {
        case .active: log.note("\(call) active")
        case .inactive: log.note("\(call) inactive")
        case .background: log.note("\(call) background")
        @unknown default: log.note("\(call) unknown")
        }
    }
}
