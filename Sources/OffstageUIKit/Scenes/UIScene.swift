// SPDX-License-Identifier: Apache-2.0

/// One instance of an app's user interface: an app with scenes has one, which is not shown.
@preconcurrency @MainActor
open class UIScene: UIResponder {
    /// The state of a scene.
    public enum ActivationState: Int, Sendable {
        /// Not connected.
        case unattached = -1
        /// In the foreground, and active.
        case foregroundActive = 0
        /// In the foreground, but not active.
        case foregroundInactive = 1
        /// In the background.
        case background = 2
    }

    /// The reasons why a scene connects.
    @preconcurrency @MainActor
    open class ConnectionOptions: NSObject {
        /// URLs to open.
        open var urlContexts: Set<UIOpenURLContext> { [] }
        /// The app that made the request.
        open var sourceApplication: String? { nil }
        /// Activities to continue.
        open var userActivities: Set<NSUserActivity> { [] }
        /// A selected quick action.
        open var shortcutItem: UIApplicationShortcutItem? { nil }
    }

    /// The session that the scene belongs to.
    public let session: UISceneSession
    /// Receives the scene's life cycle.
    open weak var delegate: (any UISceneDelegate)?
    /// The scene's state.
    open var activationState: ActivationState { standing }
    var standing = ActivationState.unattached
    /// The scene's title.
    open var title: String?

    /// Creates a scene in this session.
    public init(session: UISceneSession, connectionOptions: ConnectionOptions) {
        self.session = session
        super.init()
    }

    /// Creates a scene in a new session, which no app sees.
    public override init() {
        session = UISceneSession()
        super.init()
    }

    /// The scene connects.
    nonisolated public static let willConnectNotification = NSNotification.Name("UISceneWillConnectNotification")
    /// The scene was disconnected.
    nonisolated public static let didDisconnectNotification = NSNotification.Name("UISceneDidDisconnectNotification")
    /// The scene is active.
    nonisolated public static let didActivateNotification = NSNotification.Name("UISceneDidActivateNotification")
    /// The scene is about to become inactive.
    nonisolated public static let willDeactivateNotification = NSNotification.Name("UISceneWillDeactivateNotification")
    /// The scene is about to enter the foreground.
    nonisolated public static let willEnterForegroundNotification =
        NSNotification.Name("UISceneWillEnterForegroundNotification")
    /// The scene is in the background.
    nonisolated public static let didEnterBackgroundNotification =
        NSNotification.Name("UISceneDidEnterBackgroundNotification")
}

/// A URL for a scene to open. Declared only.
@preconcurrency @MainActor
open class UIOpenURLContext: NSObject {
    /// The URL.
    public let url: URL

    init(url: URL) {
        self.url = url
        super.init()
    }
}
