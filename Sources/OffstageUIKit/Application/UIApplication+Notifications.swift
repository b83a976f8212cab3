// SPDX-License-Identifier: Apache-2.0

/// Notifications about the app's life cycle, posted by `NotificationCenter.default` on the main thread, each right
/// after the delegate method of that name has returned. Their object is the app.
extension UIApplication {
    /// The app has been launched.
    nonisolated public static let didFinishLaunchingNotification =
        NSNotification.Name("UIApplicationDidFinishLaunchingNotification")
    /// The app is active.
    nonisolated public static let didBecomeActiveNotification =
        NSNotification.Name("UIApplicationDidBecomeActiveNotification")
    /// The app is about to become inactive.
    nonisolated public static let willResignActiveNotification =
        NSNotification.Name("UIApplicationWillResignActiveNotification")
    /// The app is in the background.
    nonisolated public static let didEnterBackgroundNotification =
        NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
    /// The app is about to enter the foreground.
    nonisolated public static let willEnterForegroundNotification =
        NSNotification.Name("UIApplicationWillEnterForegroundNotification")
    /// The app is about to terminate.
    nonisolated public static let willTerminateNotification =
        NSNotification.Name("UIApplicationWillTerminateNotification")
    /// Memory is low.
    nonisolated public static let didReceiveMemoryWarningNotification =
        NSNotification.Name("UIApplicationDidReceiveMemoryWarningNotification")
    /// `backgroundRefreshStatus` has changed: a daemon with other settings has started.
    nonisolated public static let backgroundRefreshStatusDidChangeNotification =
        NSNotification.Name("UIApplicationBackgroundRefreshStatusDidChangeNotification")
    /// Never posted: files are always readable.
    nonisolated public static let protectedDataDidBecomeAvailableNotification =
        NSNotification.Name("UIApplicationProtectedDataDidBecomeAvailable")
    /// Never posted: files are always readable.
    nonisolated public static let protectedDataWillBecomeUnavailableNotification =
        NSNotification.Name("UIApplicationProtectedDataWillBecomeUnavailable")
    /// Never posted.
    nonisolated public static let significantTimeChangeNotification =
        NSNotification.Name("UIApplicationSignificantTimeChangeNotification")
    /// Never posted: windows belong to a toolkit.
    nonisolated public static let userDidTakeScreenshotNotification =
        NSNotification.Name("UIApplicationUserDidTakeScreenshotNotification")
}
