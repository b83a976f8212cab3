// SPDX-License-Identifier: Apache-2.0

/// Receives the app's life cycle, on the main thread. Methods that a delegate does not implement do nothing.
///
/// A method is called if the conforming class implements it: one that only a subclass adds is not called, since these
/// are Swift requirements and not Objective-C's optional ones.
@preconcurrency @MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
    /// The app's main window. Declared only.
    var window: UIWindow? { get set }

    // MARK: - The launch

    /// The app is being launched, and no state is restored yet.
    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /// The launch is almost complete: `applicationState` says whether the app is in the foreground or in the
    /// background.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /// Like the previous method, for a delegate that does not implement it.
    func applicationDidFinishLaunching(_ application: UIApplication)

    // MARK: - The life cycle

    /// The app is active.
    func applicationDidBecomeActive(_ application: UIApplication)
    /// The app is about to become inactive.
    func applicationWillResignActive(_ application: UIApplication)
    /// The app is in the background: this method has 5 s to return, and may begin background tasks for longer work.
    func applicationDidEnterBackground(_ application: UIApplication)
    /// The app is about to enter the foreground again.
    func applicationWillEnterForeground(_ application: UIApplication)
    /// The app is about to terminate: this method has 5 s to return. Not called for an app that is suspended.
    func applicationWillTerminate(_ application: UIApplication)
    /// Memory is low.
    func applicationDidReceiveMemoryWarning(_ application: UIApplication)

    // MARK: - Background sessions

    /// A background session has events, and the app is in the background.
    ///
    /// - Parameters:
    ///   - application: the app.
    ///   - identifier: the identifier of the session, which the app must create again if it does not exist.
    ///   - completionHandler: the app must call it within 30 s, once the events are handled.
    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    )
    /// Like the previous method, for a delegate that does not implement it: it returns once the events are handled.
    func application(_ application: UIApplication, handleEventsForBackgroundURLSession identifier: String) async

    /// The app may fetch data: called from time to time for an app that has set an interval
    /// (`setMinimumBackgroundFetchInterval(_:)`). The app runs until the completion handler is called, for 30 s at
    /// most.
    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
    )
    /// Like the previous method, for a delegate that does not implement it.
    func applicationPerformFetch(_ application: UIApplication) async -> UIBackgroundFetchResult

    // MARK: - Never called here

    /// The time of day has changed significantly.
    func applicationSignificantTimeChange(_ application: UIApplication)
    /// Protected files are about to become unavailable.
    func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication)
    /// Protected files can be read.
    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication)
    /// The app is registered for remote notifications.
    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    )
    /// The app could not be registered for remote notifications: called when it asks for that.
    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)
    /// A remote notification has arrived.
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
    )
    /// A remote notification has arrived.
    func application(_ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any])
    /// The app is asked to open a URL.
    func application(
        _ app: UIApplication,
        open url: URL,
        options: [UIApplication.OpenURLOptionsKey: Any]
    ) -> Bool
    /// The app is asked to continue an activity.
    func application(
        _ application: UIApplication,
        continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool
    /// An activity of this type is about to arrive.
    func application(_ application: UIApplication, willContinueUserActivityWithType userActivityType: String) -> Bool
    /// An activity could not be fetched.
    func application(
        _ application: UIApplication,
        didFailToContinueUserActivityWithType userActivityType: String,
        error: any Error
    )
    /// A quick action was selected.
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
    /// The person discarded scenes.
    func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>)
}
