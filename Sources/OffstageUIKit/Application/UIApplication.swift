// SPDX-License-Identifier: Apache-2.0

/// The app, as its own code sees it.
///
/// The life cycle is the sceneless one: the delegate's `application…` methods are called, and no scene connects.
/// On the main actor, but for what says otherwise.
@preconcurrency @MainActor
open class UIApplication: UIResponder {
    /// Where an app stands. A suspended app runs no code that could see it.
    public enum State: Int, Sendable {
        /// In front and in use.
        case active = 0
        /// In front and not in use: being launched, or on its way.
        case inactive = 1
        /// Not in front.
        case background = 2
    }

    /// The one app of the process.
    public class var shared: UIApplication { sharedApplication }
    private static let sharedApplication = UIApplication()

    /// What is told of the app's life. Not held: `UIApplicationMain` holds the one that it has made.
    open weak var delegate: (any UIApplicationDelegate)?

    /// Where the app stands.
    open var applicationState: State {
        switch Stage.current.lifeState {
        case .active: .active
        case .background, .suspended: .background
        case .inactive, .launching, .terminated: .inactive
        }
    }

    /// Whether the app's refresh tasks run, as the daemon's settings say: `available` or `denied`. Without a daemon,
    /// `available`.
    open var backgroundRefreshStatus: UIBackgroundRefreshStatus {
        Stage.current.allowsRefresh ? .available : .denied
    }

    /// Whether protected files can be read: always, as files are not sealed while the screen is locked.
    open var isProtectedDataAvailable: Bool { true }

    // MARK: - What has no screen to be seen on

    /// Kept, and shown nowhere.
    open var applicationIconBadgeNumber = 0
    /// Kept, without effect: nothing here switches the screen off.
    open var isIdleTimerDisabled = false
    /// Kept, and shown nowhere.
    open var isNetworkActivityIndicatorVisible = false

    /// None: the app is sceneless.
    open var connectedScenes: Set<UIScene> { [] }
    /// None: the app is sceneless.
    open var openSessions: Set<UISceneSession> { [] }
    /// Whether there can be more than one scene: no.
    open var supportsMultipleScenes: Bool { false }
    /// None: windows are a toolkit's affair.
    open var windows: [UIWindow] { [] }
    /// None: windows are a toolkit's affair.
    open var keyWindow: UIWindow? { nil }
}
