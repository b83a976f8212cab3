// SPDX-License-Identifier: Apache-2.0

/// One instance of an app's user interface. Declared only: the app is sceneless, and no scene connects.
@preconcurrency @MainActor
open class UIScene: UIResponder {
    /// Where a scene stands.
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
        /// The app that asked.
        open var sourceApplication: String? { nil }
        /// Activities to go on with.
        open var userActivities: Set<NSUserActivity> { [] }
        /// A shortcut that was chosen.
        open var shortcutItem: UIApplicationShortcutItem? { nil }
    }

    /// The session that the scene belongs to.
    public let session: UISceneSession
    /// What is told of the scene's life.
    open weak var delegate: (any UISceneDelegate)?
    /// Where the scene stands.
    open var activationState: ActivationState { .unattached }
    /// What a person sees as the scene's name.
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

    /// Never posted.
    nonisolated public static let willConnectNotification = NSNotification.Name("UISceneWillConnectNotification")
    /// Never posted.
    nonisolated public static let didDisconnectNotification = NSNotification.Name("UISceneDidDisconnectNotification")
    /// Never posted.
    nonisolated public static let didActivateNotification = NSNotification.Name("UISceneDidActivateNotification")
    /// Never posted.
    nonisolated public static let willDeactivateNotification = NSNotification.Name("UISceneWillDeactivateNotification")
    /// Never posted.
    nonisolated public static let willEnterForegroundNotification =
        NSNotification.Name("UISceneWillEnterForegroundNotification")
    /// Never posted.
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
