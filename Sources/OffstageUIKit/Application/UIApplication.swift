// SPDX-License-Identifier: Apache-2.0

/// The app, as its own code sees it.
///
/// If the app's `Info.plist` has `UIApplicationSceneManifest`, or its delegate configures scenes, one window scene
/// connects, and the scene's delegate receives foreground and background calls. Otherwise the life cycle has no scenes.
/// On the main actor unless stated otherwise.
@preconcurrency @MainActor
open class UIApplication: UIResponder {
    /// The state of an app. There is no value for a suspended app, since it runs no code.
    public enum State: Int, Sendable {
        /// In the foreground, and active.
        case active = 0
        /// In the foreground, but not active: being launched, or in transition.
        case inactive = 1
        /// In the background.
        case background = 2
    }

    /// The one app of the process.
    public class var shared: UIApplication { sharedApplication }
    private static let sharedApplication = UIApplication()

    /// Receives the app's life cycle. Not retained here: `UIApplicationMain` retains the delegate that it creates.
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

    /// Whether the daemon's settings allow the app's refresh tasks: `available` or `denied`; `available` if there is no
    /// daemon.
    open var backgroundRefreshStatus: UIBackgroundRefreshStatus {
        Stage.current.allowsRefresh ? .available : .denied
    }

    /// Whether protected files can be read: always true, since files stay readable while the screen is locked.
    open var isProtectedDataAvailable: Bool { true }

    // MARK: - Properties without a screen

    /// Stored, but not shown.
    open var applicationIconBadgeNumber = 0
    /// Stored, but has no effect: nothing here switches the screen off.
    open var isIdleTimerDisabled = false
    /// Stored, but not shown.
    open var isNetworkActivityIndicatorVisible = false

    /// The app's scene, once it is connected; empty in an app without scenes.
    open var connectedScenes: Set<UIScene> { SceneStage.shared.scene.map { [$0] } ?? [] }
    /// The session of the app's scene, once the scene is connected.
    open var openSessions: Set<UISceneSession> { SceneStage.shared.scene.map { [$0.session] } ?? [] }
    /// Whether there can be more than one scene: always false.
    open var supportsMultipleScenes: Bool { false }
    /// The windows that were made visible, in that order; they are not shown.
    open var windows: [UIWindow] { UIWindow.visible }
    /// The window that was most recently made key.
    open var keyWindow: UIWindow? { UIWindow.visible.last { $0.isKeyWindow } }
}
