// SPDX-License-Identifier: Apache-2.0
import UIKit

/// Logs what happens to it, and does nothing else.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    let log = CallLog()

    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        log.note("willFinishLaunching", application)
        return true
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        log.note("didFinishLaunching", application)
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) { log.note("didBecomeActive", application) }
    func applicationWillResignActive(_ application: UIApplication) { log.note("willResignActive", application) }
    func applicationDidEnterBackground(_ application: UIApplication) { log.note("didEnterBackground", application) }
    func applicationWillEnterForeground(_ application: UIApplication) { log.note("willEnterForeground", application) }
    func applicationWillTerminate(_ application: UIApplication) { log.note("willTerminate", application) }
    func applicationDidReceiveMemoryWarning(_ application: UIApplication) {
        log.note("didReceiveMemoryWarning", application)
    }

    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        log.note("handleEvents \(identifier)", application)
        completionHandler()
    }
}
