// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit

/// Handles a session's events with a completion handler.
final class AppDelegate: LifeDelegate, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        note("handleEvents \(identifier)")
        if identifier == HandledUploads.identifier {
            HandledUploads.shared.open()
            return completionHandler()
        }
        Uploads.shared.whenFinished(completionHandler)
    }

    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        note("performFetch")
        if CommandLine.arguments.contains("hangs") { return }
        DispatchQueue.global().async { completionHandler(.newData) }
    }
}

/// Handles a session's events in an `async` method.
final class AsyncAppDelegate: LifeDelegate, UIApplicationDelegate {
    func application(_ application: UIApplication, handleEventsForBackgroundURLSession identifier: String) async {
        note("handleEvents \(identifier)")
        await withCheckedContinuation { continuation in Uploads.shared.whenFinished { continuation.resume() } }
        note("handled \(identifier)")
    }
}

/// A delegate that is not a responder and has its own initializer.
final class PlainAppDelegate: NSObject, UIApplicationDelegate {
    private let text: String

    override init() {
        text = "as its initializer has it"
        super.init()
        if CommandLine.arguments.contains("listens") { Orders.listen() }
    }

    func applicationDidFinishLaunching(_ application: UIApplication) { note("didFinishLaunching \(text)") }
    func applicationDidBecomeActive(_ application: UIApplication) { note("didBecomeActive \(text)") }
}

/// Logs every call and every notification, with the app's state and whether it is on the main thread.
class LifeDelegate: UIResponder {
    override init() {
        super.init()
        for (name, text) in [
            (UIApplication.didFinishLaunchingNotification, "didFinishLaunching"),
            (UIApplication.didBecomeActiveNotification, "didBecomeActive"),
            (UIApplication.willResignActiveNotification, "willResignActive"),
            (UIApplication.didEnterBackgroundNotification, "didEnterBackground"),
            (UIApplication.willEnterForegroundNotification, "willEnterForeground"),
            (UIApplication.willTerminateNotification, "willTerminate"),
            (UIApplication.didReceiveMemoryWarningNotification, "didReceiveMemoryWarning"),
            (UIApplication.backgroundRefreshStatusDidChangeNotification, "backgroundRefreshStatusDidChange"),
        ] {
            _ = NotificationCenter.default.addObserver(forName: name, object: UIApplication.shared, queue: nil) { _ in
                note("posted \(text)")
            }
        }
        Orders.listen()
    }

    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        note("willFinishLaunching \(launchOptions == nil ? "without" : "with") options")
        return true
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        note("didFinishLaunching \(application.delegate === self ? "as" : "not as") delegate")
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) { note("didBecomeActive") }
    func applicationWillResignActive(_ application: UIApplication) { note("willResignActive") }
    func applicationDidEnterBackground(_ application: UIApplication) {
        note("didEnterBackground")
        TwoTasks.run(application)
    }

    func applicationWillEnterForeground(_ application: UIApplication) { note("willEnterForeground") }
    func applicationWillTerminate(_ application: UIApplication) { note("willTerminate") }
    func applicationDidReceiveMemoryWarning(_ application: UIApplication) { note("didReceiveMemoryWarning") }
}

/// On the main thread, unless it says otherwise.
func note(_ text: String) {
    guard Thread.isMainThread else { return Log.shared.note("\(text) (another thread)") }
    let state = MainActor.assumeIsolated { UIApplication.shared.applicationState }
    Log.shared.note("\(text) (\(state))")
}
