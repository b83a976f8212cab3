// SPDX-License-Identifier: Apache-2.0

/// Receives the app's life cycle, on the main thread. Methods that a delegate does not implement do nothing.
///
/// A method is called only if the conforming class itself implements it. A method that only a subclass adds is not
/// called, since these are Swift requirements and not Objective-C's optional ones.
@preconcurrency @MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
    /// The app's main window. Declared only.
    var window: UIWindow? { get set }

    // MARK: - The launch

    /// Called when the app is being launched, before any state is restored.
    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /// Called when the launch is almost complete: `applicationState` shows whether the app is in the foreground or in
    /// the background.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /// Like the previous method, for a delegate that does not implement it.
    func applicationDidFinishLaunching(_ application: UIApplication)

    // MARK: - The life cycle

    /// Called when the app has become active.
    func applicationDidBecomeActive(_ application: UIApplication)
    /// Called when the app is about to become inactive.
    func applicationWillResignActive(_ application: UIApplication)
    /// Called when the app is in the background. This method has 5 s to return, and may begin background tasks for
    /// longer work.
    func applicationDidEnterBackground(_ application: UIApplication)
    /// Called when the app is about to enter the foreground again.
    func applicationWillEnterForeground(_ application: UIApplication)
    /// Called when the app is about to terminate. This method has 5 s to return. Not called for a suspended app.
    func applicationWillTerminate(_ application: UIApplication)
    /// Called when memory is low.
    func applicationDidReceiveMemoryWarning(_ application: UIApplication)

    // MARK: - Background sessions

    /// Called when a background session has events and the app is in the background.
    ///
    /// - Parameters:
    ///   - application: the app.
    ///   - identifier: the identifier of the session, which the app must create again if it does not exist.
    ///   - completionHandler: a handler that the app must call within 30 s, once the events are handled.
    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    )
    /// Like the previous method, for a delegate that does not implement it. Returns once the events are handled.
    func application(_ application: UIApplication, handleEventsForBackgroundURLSession identifier: String) async

    /// Called from time to time for an app that has set an interval (`setMinimumBackgroundFetchInterval(_:)`): the app
    /// may fetch data. The app runs until the completion handler is called, for at most 30 s.
    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
    )
    /// Like the previous method, for a delegate that does not implement it.
    func applicationPerformFetch(_ application: UIApplication) async -> UIBackgroundFetchResult

    // MARK: - Never called here

    /// Called when the time of day has changed significantly.
    func applicationSignificantTimeChange(_ application: UIApplication)
    /// Called when protected files are about to become unavailable.
    func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication)
    /// Called when protected files can be read.
    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication)
    /// Called when the app has been registered for remote notifications.
    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    )
    /// Called when the app asks to be registered for remote notifications, which is not possible.
    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)
    /// Called when a remote notification has arrived.
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
    )
    /// Called when a remote notification has arrived.
    func application(_ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any])
    /// Called when the app is asked to open a URL.
    func application(
        _ app: UIApplication,
        open url: URL,
        options: [UIApplication.OpenURLOptionsKey: Any]
    ) -> Bool
    /// Called when the app is asked to continue an activity.
    func application(
        _ application: UIApplication,
        continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool
    /// Called when an activity of this type is about to arrive.
    func application(_ application: UIApplication, willContinueUserActivityWithType userActivityType: String) -> Bool
    /// Called when an activity could not be fetched.
    func application(
        _ application: UIApplication,
        didFailToContinueUserActivityWithType userActivityType: String,
        error: any Error
    )
    /// Called when a quick action was selected.
    func application(
        _ application: UIApplication,
        performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    )
    /// The orientations that a window supports.
    func application(
        _ application: UIApplication,
        supportedInterfaceOrientationsFor window: UIWindow?
    ) -> UIInterfaceOrientationMask
    /// The configuration for a new scene.
    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration
    /// Called when the person has discarded scenes.
    func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>)
}
