// SPDX-License-Identifier: Apache-2.0

/// The app, as its own code sees it.
///
/// With `UIApplicationSceneManifest` in the app's `Info.plist`, or a delegate that configures scenes, one window scene
/// connects, and its delegate receives foreground and background calls; otherwise the life cycle is the sceneless one.
/// On the main actor unless stated otherwise.
@preconcurrency @MainActor
open class UIApplication: UIResponder {
    /// The state of an app. A suspended app runs no code that could see it.
    public enum State: Int, Sendable {
        /// In front and in use.
        case active = 0
        /// In front, but not in use: being launched, or in transition.
        case inactive = 1
        /// Not in front.
        case background = 2
    }

    /// The one app of the process.
    public class var shared: UIApplication { sharedApplication }
    private static let sharedApplication = UIApplication()

    /// Receives the app's life cycle. Not retained: `UIApplicationMain` retains the one that it has created.
    open weak var delegate: (any UIApplicationDelegate)?

    /// The app's state.
    open var applicationState: State {
        // An app with scenes is in the background until one of them enters the foreground.
        let scenes = SceneStage.shared
        if scenes.standing != .none, !scenes.hasBeenInFront { return .background }
        return switch Stage.current.lifeState {
        case .active: .active
        case .background, .suspended: .background
        case .inactive, .launching, .terminated: .inactive
        }
    }

    /// Whether the daemon's settings allow the app's refresh tasks: `available` or `denied`. Without a daemon,
    /// `available`.
    open var backgroundRefreshStatus: UIBackgroundRefreshStatus {
        Stage.current.allowsRefresh ? .available : .denied
    }

    /// Whether protected files can be read: always, as files are not sealed while the screen is locked.
    open var isProtectedDataAvailable: Bool { true }

    // MARK: - Properties without a screen

    /// Kept, and shown nowhere.
    open var applicationIconBadgeNumber = 0
    /// Kept, without effect: nothing here switches the screen off.
    open var isIdleTimerDisabled = false
    /// Kept, and shown nowhere.
    open var isNetworkActivityIndicatorVisible = false

    /// The app's scene, once it is connected; none in a sceneless app.
    open var connectedScenes: Set<UIScene> { SceneStage.shared.scene.map { [$0] } ?? [] }
    /// The session of the app's scene, once that is connected.
    open var openSessions: Set<UISceneSession> { SceneStage.shared.scene.map { [$0.session] } ?? [] }
    /// Whether there can be more than one scene: no.
    open var supportsMultipleScenes: Bool { false }
    /// The windows that were made visible, in that order; none of them is shown.
    open var windows: [UIWindow] { UIWindow.visible }
    /// The one that was made key last.
    open var keyWindow: UIWindow? { UIWindow.visible.last { $0.isKeyWindow } }
}
