// SPDX-License-Identifier: Apache-2.0

/// What is told of the app's life, on the main thread. What a delegate does not implement does nothing.
///
/// A method counts when the class that conforms has it: one that only a subclass adds is not called, as the requirements
/// are Swift's and not Objective-C's optional ones.
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
    /// The app is almost launched: `applicationState` says whether in foreground or in background.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /// As the method before, for a delegate that does not have that.
    func applicationDidFinishLaunching(_ application: UIApplication)

    // MARK: - The life cycle

    /// The app is in front and in use.
    func applicationDidBecomeActive(_ application: UIApplication)
    /// The app is about to be out of use.
    func applicationWillResignActive(_ application: UIApplication)
    /// The app is in background: it has 5 s to return, and may begin background tasks for what takes longer.
    func applicationDidEnterBackground(_ application: UIApplication)
    /// The app is about to come to the front again.
    func applicationWillEnterForeground(_ application: UIApplication)
    /// The app is about to end: it has 5 s to return. Not called for an app that is suspended.
    func applicationWillTerminate(_ application: UIApplication)
    /// Memory is short.
    func applicationDidReceiveMemoryWarning(_ application: UIApplication)

    // MARK: - Background sessions

    /// A background session has events, and the app is in background.
    ///
    /// - Parameters:
    ///   - application: the app.
    ///   - identifier: the session's, which is to be made again if it is not there.
    ///   - completionHandler: to be called within 30 s, once the events are handled.
    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    )
    /// As the method before, for a delegate that does not have that: it returns once the events are handled.
    func application(_ application: UIApplication, handleEventsForBackgroundURLSession identifier: String) async

    /// Something may be fetched: called now and then for an app that has set an interval
    /// (`setMinimumBackgroundFetchInterval(_:)`). The app runs until the completion handler is called, 30 s at most.
    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
    )
    /// As the method before, for a delegate that does not have that.
    func applicationPerformFetch(_ application: UIApplication) async -> UIBackgroundFetchResult

    // MARK: - Never called here

    /// The time of day has changed much.
    func applicationSignificantTimeChange(_ application: UIApplication)
    /// Protected files are about to be sealed.
    func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication)
    /// Protected files can be read.
    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication)
    /// The app is registered for remote notifications.
    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    )
    /// Called when the app asks to be registered for remote notifications.
    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)
    /// A remote notification has come.
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
    )
    /// A remote notification has come.
    func application(_ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any])
    /// A URL is to be opened.
    func application(
        _ app: UIApplication,
        open url: URL,
        options: [UIApplication.OpenURLOptionsKey: Any]
    ) -> Bool
    /// An activity is to be gone on with.
    func application(
        _ application: UIApplication,
        continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool
    /// An activity of this kind is about to come.
    func application(_ application: UIApplication, willContinueUserActivityWithType userActivityType: String) -> Bool
    /// An activity could not be had.
    func application(
        _ application: UIApplication,
        didFailToContinueUserActivityWithType userActivityType: String,
        error: any Error
    )
    /// A shortcut was chosen.
    func application(
        _ application: UIApplication,
        performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    )
    /// Which ways of holding the device a window allows.
    func application(
        _ application: UIApplication,
        supportedInterfaceOrientationsFor window: UIWindow?
    ) -> UIInterfaceOrientationMask
    /// How a scene is made.
    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration
    /// Scenes were thrown away by the person.
    func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>)
}
