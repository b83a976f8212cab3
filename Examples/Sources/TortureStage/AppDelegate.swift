// SPDX-License-Identifier: Apache-2.0
import UIKit

// TortureStage FOLDER
//
// The app of `scripts/torture --only stage` and `--only terminal`: it logs every call of its delegate in
// FOLDER/stage.log, and follows FOLDER/orders when it is sent to background or comes to the foreground.

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    private let folder: URL
    private let log: StageLog
    private let fetches: Fetches

    override init() {
        let arguments = CommandLine.arguments
        guard arguments.count == 2 else {
            print("usage: TortureStage FOLDER")
            exit(64)
        }
        folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
        log = StageLog(in: folder)
        fetches = Fetches(folder: folder, log: log)
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        log.note("launched \(application.applicationState == .background ? "background" : "foreground")")
        fetches.reconnect()
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        log.note("active")
        for url in Orders(in: folder).fetches { fetches.fetch(url) }
    }

    func applicationWillResignActive(_ application: UIApplication) { log.note("resign") }

    func applicationWillEnterForeground(_ application: UIApplication) { log.note("foreground") }

    func applicationWillTerminate(_ application: UIApplication) { log.note("terminate") }

    func applicationDidReceiveMemoryWarning(_ application: UIApplication) { log.note("warned") }

    func applicationDidEnterBackground(_ application: UIApplication) {
        log.note("background")
        switch Orders(in: folder).task {
        case .none: break
        case .hold(let seconds): hold(application, seconds)
        case .late: begin(application, "late", endsWhenExpired: true)
        case .never: begin(application, "never", endsWhenExpired: false)
        case .churn(let count):
            for number in 1...max(count, 1) { hold(application, 0.01 * Double(number)) }
        }
    }

    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        log.note("events \(identifier)")
        fetches.eventsHandled = completionHandler
    }

    /// Holds a background task that ends after so many seconds, from another thread.
    private func hold(_ application: UIApplication, _ seconds: Double) {
        let task = begin(application, "hold", endsWhenExpired: true)
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [log] in
            log.note("end \(task.rawValue)")
            application.endBackgroundTask(task)
        }
    }

    @discardableResult
    private func begin(_ application: UIApplication, _ name: String, endsWhenExpired: Bool)
        -> UIBackgroundTaskIdentifier
    {
        let holder = TaskHolder()
        holder.task = application.beginBackgroundTask(withName: name) { [log] in
            log.note("expired \(holder.task.rawValue)")
            if endsWhenExpired { application.endBackgroundTask(holder.task) }
        }
        log.note("begin \(holder.task.rawValue) \(name)")
        return holder.task
    }
}

/// The identifier for a task's expiration handler, which is assigned only after the handler is passed. On the main
/// thread.
private final class TaskHolder: @unchecked Sendable {
    var task = UIBackgroundTaskIdentifier.invalid
}
