// SPDX-License-Identifier: Apache-2.0
import UIKit

// DropOff FOLDER SERVER FILE [MODE]
//
// Uploads FILE itself as soon as it is in the foreground, and continues in the background for as long as it may; in the
// modes 'account' and 'daemon' to the Dropbox account that the daemon is signed in to. FOLDER/events.log records what
// happened to the app and the upload.

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let assignment = Assignment.current
    private lazy var log = AppLog(in: assignment.folder)
    private lazy var server = ServerUpload(log: log)
    private lazy var client = ClientUpload(
        client: DropboxClient(
            content: assignment.server,
            token: ProcessInfo.processInfo.environment["DROPBOX_TOKEN"] ?? ""
        ),
        log: log
    )
    private lazy var account = AccountUpload(log: log)
    private var hasBegun = false
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
        if assignment.mode == .account || assignment.mode == .daemon { account.reconnect() }
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        note("didBecomeActive", application)
        guard !hasBegun else { return }
        hasBegun = true
        switch assignment.mode {
        case .task: server.upload(assignment.file, to: assignment.server, inBackgroundTask: true)
        case .bare: server.upload(assignment.file, to: assignment.server, inBackgroundTask: false)
        case .client: client.upload(assignment.file, to: assignment.path)
        case .account: account.upload(assignment.file, to: assignment.path)
        case .daemon: account.handOver(assignment.file, to: assignment.path)
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
        case .task, .bare, .client, .account, .daemon: break
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

    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        log.note("events of \(identifier)")
        account.eventsHandled = completionHandler
    }

    /// Finishes the remaining work on another thread.
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
