// SPDX-License-Identifier: Apache-2.0

/// Receives a scene's life cycle, in an app with scenes.
@preconcurrency @MainActor
public protocol UISceneDelegate: NSObjectProtocol {
    /// A scene connects.
    func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    )
    /// A scene was disconnected.
    func sceneDidDisconnect(_ scene: UIScene)
    /// A scene is active.
    func sceneDidBecomeActive(_ scene: UIScene)
    /// A scene is about to become inactive.
    func sceneWillResignActive(_ scene: UIScene)
    /// A scene is about to enter the foreground.
    func sceneWillEnterForeground(_ scene: UIScene)
    /// A scene is in the background.
    func sceneDidEnterBackground(_ scene: UIScene)
    /// The scene is asked to open URLs.
    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>)
    /// The scene is asked to continue an activity.
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity)
    /// The activity that preserves the scene's state.
    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity?
}

extension UISceneDelegate {
    /// Does nothing.
    public func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {}
    /// Does nothing.
    public func sceneDidDisconnect(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneDidBecomeActive(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneWillResignActive(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneWillEnterForeground(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneDidEnterBackground(_ scene: UIScene) {}
    /// Does nothing.
    public func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {}
    /// Does nothing.
    public func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {}
    /// Nil: there is no state to restore.
    public func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? { nil }
}
