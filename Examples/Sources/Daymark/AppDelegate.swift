// SPDX-License-Identifier: Apache-2.0
import UIKit

// Daymark FOLDER SERVER [INTERVAL [proper|articles]]
//
// Works while the app is not in use: it refreshes every INTERVAL seconds (3600), tidies up after four times as many,
// and each time sends an event to SERVER/refresh or SERVER/tidy with its background session. FOLDER/events.log records
// what happened to the app and its work.

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let log: AppLog
    private let events: EventSender
    private let work: DeferredWork
    /// Whether a person has used the app since it was last sent to background.
    private var wasUsed = false

    required override init() {
        let plan = Plan.current
        log = AppLog(in: plan.folder)
        events = EventSender(plan: plan, log: log)
        work = DeferredWork(plan: plan, events: events, log: log)
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        log.note(application.applicationState == .background ? "launched-in-background" : "launched")
        work.register()
        events.reconnect()
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        log.note("active")
        wasUsed = true
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        log.note("in-background")
        // The app also gets here when it is woken or launched for its work; submitting then would postpone pending
        // requests.
        guard wasUsed else { return }
        wasUsed = false
        work.submit()
    }

    func applicationWillTerminate(_ application: UIApplication) {
        log.note("terminating")
    }

    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        events.eventsHandled = completionHandler
    }
}
