// SPDX-License-Identifier: Apache-2.0

/// One instance of an app's user interface: an app with scenes has one, which nobody sees.
@preconcurrency @MainActor
open class UIScene: UIResponder {
    /// The state of a scene.
    public enum ActivationState: Int, Sendable {
        /// Not connected.
        case unattached = -1
        /// In front and in use.
        case foregroundActive = 0
        /// In front.
        case foregroundInactive = 1
        /// Not in front.
        case background = 2
    }

    /// Why a scene connects.
    @preconcurrency @MainActor
    open class ConnectionOptions: NSObject {
        /// URLs to open.
        open var urlContexts: Set<UIOpenURLContext> { [] }
        /// The app that made the request.
        open var sourceApplication: String? { nil }
        /// Activities to continue.
        open var userActivities: Set<NSUserActivity> { [] }
        /// A chosen shortcut.
        open var shortcutItem: UIApplicationShortcutItem? { nil }
    }

    /// The session that the scene belongs to.
    public let session: UISceneSession
    /// Receives the scene's life cycle.
    open weak var delegate: (any UISceneDelegate)?
    /// The scene's state.
    open var activationState: ActivationState { standing }
    var standing = ActivationState.unattached
    /// The scene's visible name.
    open var title: String?

    /// A scene of this session.
    public init(session: UISceneSession, connectionOptions: ConnectionOptions) {
        self.session = session
        super.init()
    }

    /// A scene of a session of its own, which no app sees.
    public override init() {
        session = UISceneSession()
        super.init()
    }

    /// The scene connects.
    nonisolated public static let willConnectNotification = NSNotification.Name("UISceneWillConnectNotification")
    /// The scene was disconnected.
    nonisolated public static let didDisconnectNotification = NSNotification.Name("UISceneDidDisconnectNotification")
    /// The scene is in use.
    nonisolated public static let didActivateNotification = NSNotification.Name("UISceneDidActivateNotification")
    /// The scene is about to become inactive.
    nonisolated public static let willDeactivateNotification = NSNotification.Name("UISceneWillDeactivateNotification")
    /// The scene is about to come to the front.
    nonisolated public static let willEnterForegroundNotification =
        NSNotification.Name("UISceneWillEnterForegroundNotification")
    /// The scene is in the background.
    nonisolated public static let didEnterBackgroundNotification =
        NSNotification.Name("UISceneDidEnterBackgroundNotification")
}

/// A URL that a scene is to open. Declared only.
@preconcurrency @MainActor
open class UIOpenURLContext: NSObject {
    /// The URL.
    public let url: URL

    init(url: URL) {
        self.url = url
        super.init()
    }
}
